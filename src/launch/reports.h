/* SPDX-License-Identifier: MIT */
/* reports.h - lines that stagers say (stage/stager/stager.h), collected */
#ifndef LC_LAUNCH_REPORTS_H
#define LC_LAUNCH_REPORTS_H

#include "launch/cast.h"
#include "launch/words.h"

struct lc_reports {
    json_t *nodes;   /* borrowed: a report per host, the last one that counts */
    json_t *passed;  /* borrowed: paths that were passed through, with their counts; or NULL */
    size_t expected; /* told by stage-mpi; 0: unknown */
};

/* lc_step's 'take': other lines than ours go to stderr. True when all expected are there. */
bool lc_reports_take(void *reports, char *line);

void lc_reports_sum(struct lc_cast_report *report);

/* Slurm's own broadcast: 'copy' becomes the path of the image in each node's memory. */
int lc_sbcast(const struct lc_cast *cast, const struct lc_argv *start, const char *image,
              char copy[LC_CAST_PATH], struct lc_cast_report *report, struct lc_error *err);

#endif
