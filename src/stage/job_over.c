/* SPDX-License-Identifier: MIT */
/* job_over.c - does the scheduler still know a job? */
#include "stage/job_over.h"

#include <string.h>

#include "util/run.h"

/* A job in another state may still start steps. */
static bool is_ending(const char *state)
{
    static const char *const states[] = {"COMPLETING", "COMPLETED", "CANCELLED", "FAILED",
                                         "TIMEOUT",    "NODE_FAIL", "PREEMPTED", "OUT_OF_MEMORY"};

    for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++)
        if (strncmp(state, states[i], strlen(states[i])) == 0)
            return true;
    return false;
}

bool lc_job_is_over(const char *job)
{
    static const char slurm[] = "slurm-";
    struct lc_argv argv = {0};
    struct lc_buf out = {0};
    struct lc_error err;

    if (strncmp(job, slurm, sizeof(slurm) - 1) != 0)
        return false;
    lc_argv_words(&argv, "timeout 5 squeue --noheader --format=%T --jobs");
    lc_argv_add(&argv, job + sizeof(slurm) - 1);
    int rc = lc_run_output_quiet(&argv, &out, &err);
    bool is_over = rc < 0 ? strstr(err.text, "Invalid job id") != NULL
                          : out.len == 0 || is_ending(lc_buf_text(&out));
    lc_argv_free(&argv);
    lc_buf_free(&out);
    return is_over;
}
