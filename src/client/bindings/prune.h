/* SPDX-License-Identifier: MIT */
/* prune.h - names in DT_NEEDED that ld.so need not read: they are hidden while it loads a group.
 * Freestanding; called with ld.so's lock held.
 *
 * ld.so compares each needed name with the names of all objects, and a group of several hundred
 * objects that name each other takes seconds of that. Once all objects of a recorded group are
 * there and validated, what those name that ld.so has not yet come to is all there. Hidden is only
 * an edge to an object of the same group that came later, of objects whose order 'record' has
 * worked out (src/record/bind_order.c). The names are put back before RELRO. */
#ifndef LC_CLIENT_BINDINGS_PRUNE_H
#define LC_CLIENT_BINDINGS_PRUNE_H

#include "client/bindings/apply.h"
#include "client/bindings/hub.h"
#include "node/dlopen_notes.h"

enum { LC_HIDDEN_TAG = 0x6c63d710 /* between DT_LOOS and DT_HIOS */ };

/* Hide names in groups of at least so many new objects. */
void lc_prune_begin(uint32_t from);

/* So many, or UINT32_MAX if this ld.so sorts in another way. */
uint32_t lc_prune_least(void);

/* The pending objects are a whole group, written; ld.so reads what the one with cookie 'walker'
 * needs. How many names were hidden. */
uint32_t lc_prune_group(struct lc_apply *a, struct lc_notes *notes, const struct lc_hub_case *c,
                        uintptr_t walker);

/* Put the names back: the object has been relocated. */
void lc_prune_restore(struct lc_pending *p);

/* An object comes that is in no pruned group so far: does it rely on one that is? */
void lc_prune_opened(const struct link_map *map, struct lc_notes *notes);
void lc_prune_closed(const struct link_map *map, struct lc_notes *notes);

#endif
