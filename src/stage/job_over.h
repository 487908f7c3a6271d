/* SPDX-License-Identifier: MIT */
/* job_over.h - does the scheduler still know a job? */
#ifndef LC_STAGE_JOB_OVER_H
#define LC_STAGE_JOB_OVER_H

#include <stdbool.h>

/* 'job' as lc_users_job() names it. True only if its scheduler says that it will start no further
 * step; false also where there is nobody to ask. Asks Slurm's squeue, for five seconds at most. */
bool lc_job_is_over(const char *job);

#endif
