/* SPDX-License-Identifier: MIT */
/* straight.h - for which objects of a group does ld.so's order not depend on whether they were
 * opened by themselves? Freestanding; called with ld.so's lock held.
 *
 * Opened by itself, an object gets in place of the list of what it names one of all it reaches, and
 * ld.so sorts by that for finalisation. Its search begins with the last object. If all that an
 * object reaches came later, and nothing that came later reaches it, the search has been everywhere
 * below it when it comes to it: either list leads nowhere. ld.so follows not only names but also
 * what it has noted when it looked up symbols: who may make it do so reaches all. */
#ifndef LC_CLIENT_BINDINGS_STRAIGHT_H
#define LC_CLIENT_BINDINGS_STRAIGHT_H

#include "client/bindings/hub.h"

/* Which of the pending objects has this name; LC_NONE: it was there before. */
typedef uint32_t lc_place_of(const char *needed);

/* Set is_straight of the pending objects: a whole group, with nothing hidden yet. */
void lc_straight_mark(struct lc_apply *a, const struct lc_hub_case *c, lc_place_of *place_of);

/* Will no look-up add dependencies later? Of a group that a dlopen brings. */
bool lc_straight_is_final(const struct lc_apply *a, const struct lc_hub_case *c);

#endif
