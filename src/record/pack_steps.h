/* SPDX-License-Identifier: MIT */
/* pack_steps.h - steps of lc_pack_seen() that have a file of their own; private to pack*.c */
#ifndef LC_RECORD_PACK_STEPS_H
#define LC_RECORD_PACK_STEPS_H

#include "record/pack.h"
#include "record/resolve.h"

/* pack_listings.c: read the listing of each managed directory that the pilot listed, or in which it
 * looked up a managed path. 0, or -1 with ENOMEM. */
int lc_pack_list_directories(struct lc_pack *pack, const struct lc_resolution *r);

/* Did the content or the names of an entry change after 'wall_ns' (wall clock)? Always false if
 * 'wall_ns' is 0. */
bool lc_changed_since(const struct lc_tree_entry *node, uint64_t wall_ns);

/* pack_bytecode.c: compile each .pyc that the pilot looked for and that is missing, outdated or
 * unreadable, if its source is managed. Modules that cannot be compiled are counted in
 * did->not_compiled. 0, or -1 with ENOMEM. */
int lc_pack_compile_modules(struct lc_pack *pack, struct lc_packed *did,
                            const struct lc_resolution *r);

#endif
