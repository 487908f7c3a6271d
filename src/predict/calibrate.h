/* SPDX-License-Identifier: MIT */
/* calibrate.h - measure a file system as a machine file describes it, with few requests
 *
 * Makes a directory of its own below the one that is given, asks from some threads at once, and
 * removes it. One node cannot see what all nodes get together: its own bandwidth is taken for the
 * total. */
#ifndef LC_PREDICT_CALIBRATE_H
#define LC_PREDICT_CALIBRATE_H

#include "predict/machine.h"

struct lc_calibration {
    long files, lookups, misses, opens, one_by_one; /* requests of each kind */
    long threads;
    double read_bytes;
    double patience_s; /* no part goes on for longer: a slow server has said enough by then */
    long requests;     /* in all, making and removing files included */
};

/* What will be asked. */
struct lc_calibration lc_calibration_plan(void);

/* Measure. 0, or -1 with err filled; nothing of it is left in either case. SIGINT, SIGTERM and
 * SIGHUP end it the same way, then the process; a second one at once. */
int lc_calibrate(const struct lc_calibration *plan, const char *dir, struct lc_machine_model *out,
                 struct lc_error *err);

#endif
