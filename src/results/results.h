/* SPDX-License-Identifier: MIT */
/* results.h - the results database: a row is reserved before each run and filled after it
 *
 * SQLite in WAL mode: several processes of one host may write. On a network file system, where
 * SQLite's locks cannot be trusted, each run becomes a file of its own in FILE.spool/ instead, and
 * lc_results_merge merges them into the database. The calls are the same in both cases. For reading
 * see read.h. */
#ifndef LC_RESULTS_RESULTS_H
#define LC_RESULTS_RESULTS_H

#include <stdbool.h>

#include "results/run.h"
#include "util/error.h"

struct lc_results;

enum lc_results_use {
    LC_RESULTS_READ,  /* must exist; nothing is changed */
    LC_RESULTS_WRITE, /* made if absent; an older schema is upgraded after a backup */
};

/* NULL with err filled: absent, locked, damaged, not a results database, written by a newer
 * version, no space. An existing file is never overwritten. Use it from one thread at a time, and
 * not after fork(). */
struct lc_results *lc_results_open(const char *file, enum lc_results_use use, struct lc_error *err);
void lc_results_close(struct lc_results *results);

/* $LOADCAST_DB, or loadcast/results.db in the user's data directory. 0, or -1 with err filled. */
int lc_results_default(char *out, size_t size, struct lc_error *err);

/* The spool directory to which runs are written, or NULL if they are written to the database. Owned
 * by results. */
const char *lc_results_spool(const struct lc_results *results);

/* The path of the backup that an upgrade made, or NULL if there was none. Owned by results. */
const char *lc_results_backup(const struct lc_results *results);

/* The unique name of a run, from its reservation on; the same in every database. */
struct lc_run_uid {
    char s[33];
};

/* Before the run: a row with status 'started' and no value. 0, or -1 with err filled. */
int lc_results_reserve(struct lc_results *results, const struct lc_run_key *key,
                       const struct lc_run_place *place, struct lc_run_uid *uid,
                       struct lc_error *err);

/* How a run ended. Phases are kept for any status (a stopped run may have some); only 'done' gets
 * a headline. */
struct lc_run_end {
    enum lc_run_status status; /* not LC_RUN_STARTED */
    const char *reason;        /* one line, for all but done */
    const char *errors;        /* last lines of standard error; the last 4 kB are kept */
    const struct lc_run_phase *phase;
    size_t phases;
    const struct lc_run_metric *metric;
    size_t metrics;
    long nodes; /* nodes that it ran on; 0: as reserved */
};

/* After the run: writes its end in one transaction. 0, or -1 with err filled, also if the run is
 * not reserved or has ended before. */
int lc_results_finish(struct lc_results *results, const struct lc_run_uid *uid,
                      const struct lc_run_end *end, struct lc_error *err);

/* Adds or replaces one metric of a run that has ended, for values that are measured afterwards. */
int lc_results_metric(struct lc_results *results, const struct lc_run_uid *uid, const char *name,
                      double value, struct lc_error *err);

#endif
