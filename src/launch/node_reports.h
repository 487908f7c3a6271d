/* SPDX-License-Identifier: MIT */
/* node_reports.h - lines that stagers say (stage/stager/stager.h), collected */
#ifndef LC_LAUNCH_REPORTS_H
#define LC_LAUNCH_REPORTS_H

#include "launch/stage_nodes.h"
#include "launch/compose.h"
#include "launch/words.h"

struct lc_reports {
    json_t *nodes;   /* borrowed: a report per host, the last one that counts */
    json_t *passed;  /* borrowed: paths that were passed through, with their counts; or NULL */
    size_t expected; /* told by stage-mpi; 0: unknown */
    bool together;   /* by MPI: if one node cannot take part, none can */
    const struct lc_cast *cast;
    bool holds;          /* some node has something staged */
    uint8_t *need;       /* borrowed: bits of what any node lacks are added; or NULL */
    size_t need_len;     /* bytes */
    int signal;          /* that ended a step; else 0 */
    struct lc_buf *said; /* borrowed: what launchers say on standard error; or NULL */
    json_t *heard;       /* borrowed: hosts that have said anything, as keys; or NULL */
};

/* lc_step's 'take': other lines than ours go to stderr. True when all expected are there, or will
 * never be. */
bool lc_reports_take(void *reports, char *line);

void lc_reports_sum(struct lc_cast_report *report);

/* report->node from what the nodes said, if they all said the same. */
void lc_reports_node(struct lc_cast_report *report);

/* The first node that says so, NULL if none does: "boot" false, it could not even start what was
 * sent there; "crashed", what was started died by a signal, with "fault" by one of its own making;
 * "lacks", it was sent the difference only, and what it held is damaged or gone. */
json_t *lc_reports_with(const struct lc_cast_report *report, const char *key, bool value);

/* Slurm's own broadcast: 'copy' becomes the path in each node's memory of the image or, if nodes
 * hold something already and 'whole' is false, of a parcel with what they lack. *word is what the
 * stager is to do with it. */
int lc_sbcast(const struct lc_cast *cast, const struct lc_argv *start, const char *image,
              bool whole, char copy[LC_CAST_PATH], const char **word, struct lc_cast_report *report,
              struct lc_error *err);

/* Away with what lc_sbcast brought, on every node. Keeps errno. */
void lc_sbcast_forget(const struct lc_cast *cast, const struct lc_argv *start, const char *copy);

/* The words that start a stager under srun, WORD and its file to be added. */
int lc_cast_add_srun_stager(const struct lc_cast *cast, const struct lc_argv *start,
                            const char *word, const char *file, struct lc_composed *step,
                            struct lc_error *err);

#endif
