/* SPDX-License-Identifier: MIT */
/* load_order.h - for which new objects is ld.so's order of finalisation the same whether or not the
 * program later opens them by themselves? Freestanding; called with ld.so's lock held.
 *
 * When a loaded object is opened by itself for the first time, ld.so replaces the list of what it
 * needs directly by a list of all it reaches, and uses that list when it sorts for finalisation.
 * The sort is a depth-first search that begins with the object loaded last. So if everything an
 * object reaches was loaded after it, and nothing loaded after it reaches it, the search has
 * visited all of that before it comes to the object, and either list gives the same order.
 *
 * ld.so also follows the dependencies that it added when it looked up symbols itself. An object for
 * which it may do so counts as one that reaches everything. */
#ifndef LC_CLIENT_BINDINGS_LOAD_ORDER_H
#define LC_CLIENT_BINDINGS_LOAD_ORDER_H

#include "client/bindings/group_writer.h"

/* Tells which of the new objects has a name; LC_NONE: an object that was loaded before. */
struct lc_place_lookup {
    uint32_t (*place)(const void *names, const char *needed);
    const void *names;
};

/* Set has_fixed_order of the new objects. The group is complete, and nothing is hidden yet. */
void lc_load_order_mark(struct lc_group_writer *w, const struct lc_place_lookup *lookup);

/* Can no later look-up add a dependency to an object of the group? Always false for the program's
 * start. */
bool lc_load_order_is_final(const struct lc_group_writer *w);

#endif
