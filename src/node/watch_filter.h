/* SPDX-License-Identifier: MIT */
/* watch_filter.h - has a watched program set a filter of system calls (seccomp)? Freestanding.
 *
 * A filter may kill the process for a call that the program itself never makes. The pilot object
 * sees when one is set; our auditors, which ld.so keeps apart from it, read its variable. */
#ifndef LC_NODE_WATCH_FILTER_H
#define LC_NODE_WATCH_FILTER_H

#include <link.h>
#include <stdbool.h>

#define LC_FILTER_SYMBOL loadcast_is_filtered /* char, in LC_PILOT_OBJECT: not 0 once it is set */

struct lc_watch_filter {
    const struct link_map *pilot; /* NULL: not loaded yet */
    const char *is_set;
};

/* Call it for each object that ld.so loads. */
void lc_watch_filter_see(struct lc_watch_filter *filter, const struct link_map *map);

bool lc_watch_filter_is_set(struct lc_watch_filter *filter);

#endif
