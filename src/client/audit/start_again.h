/* SPDX-License-Identifier: MIT */
/* start_again.h - start a watched program once more, because it is not fit for our auditor.
 * Freestanding.
 *
 * None of the program's code has run yet. "loadcast --watched-rank" measures it this time before it
 * is started (node/preflight.h), and decides how it can be watched, if at all. */
#ifndef LC_AUDIT_START_AGAIN_H
#define LC_AUDIT_START_AGAIN_H

#include <link.h>

#include "node/preflight.h"
#include "node/search_key.h"

/* Set while la_version() runs: is this program to be measured while ld.so loads it? */
struct lc_start_check {
    bool is_wanted, has_program;
    struct lc_preflight seen;
};

/* An object was loaded, before anything is relocated. Returns only if the program is fit so far, or
 * cannot be started again. */
void lc_start_check_object(struct lc_start_check *check, const struct link_map *map,
                           const struct lc_key *key);

/* From la_activity, for LA_ACT_CONSISTENT: once the program is there, its start is complete, and
 * its own code runs next. */
void lc_start_check_end(struct lc_start_check *check);

#endif
