/* SPDX-License-Identifier: MIT */
/* pick.h - choose pairs of case and target: all, or some at random by weight */
#ifndef LC_BENCH_PICK_H
#define LC_BENCH_PICK_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/suite.h"

struct lc_picks {
    bool *is_in; /* [case * targets + target]; owned */
    unsigned cases, targets;
};

/* 'how' is NULL for all pairs, or "random:N": N different pairs, chosen with a probability
 * proportional to the weight of the case times that of the target. 0, or -1 with err filled. */
int lc_picks_make(struct lc_picks *picks, const struct lc_suite *suite, const char *how,
                  struct lc_error *err);
void lc_picks_free(struct lc_picks *picks);

bool lc_picks_has(const struct lc_picks *picks, unsigned number, unsigned target);
bool lc_picks_has_target(const struct lc_picks *picks, unsigned target);

/* Maximum number of measured runs. */
uint64_t lc_picks_runs(const struct lc_picks *picks, const struct lc_suite *suite);

#endif
