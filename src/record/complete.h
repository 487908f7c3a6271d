/* SPDX-License-Identifier: MIT */
/* complete.h - listings of directories, and whether names they lack may be answered as absent */
#ifndef LC_RECORD_COMPLETE_H
#define LC_RECORD_COMPLETE_H

#include "record/pack.h"
#include "record/resolve.h"

/* List the managed directories that were listed, and those in which something managed was looked
 * up. 0, or -1 with ENOMEM. */
int lc_complete_directories(struct lc_pack *pack, const struct lc_resolution *r);

/* Did a node's content or names change after a moment of the wall clock? False for 0. */
bool lc_changed_since(const struct lc_tree_entry *node, uint64_t wall_ns);

#endif
