/* SPDX-License-Identifier: MIT */
/* watch_filter.c - has a watched program set a filter of system calls? */
#include "node/watch_filter.h"

#include "image/bytes.h"
#include "node/call_log.h"
#include "node/symbol.h"

#define TEXT_OF(name)   #name
#define SYMBOL_OF(name) TEXT_OF(name)

void lc_watch_filter_see(struct lc_watch_filter *filter, const struct link_map *map)
{
    size_t n = map->l_name ? lc_bytes_length(map->l_name) : 0, tail = sizeof(LC_PILOT_OBJECT) - 1;

    if (n > tail && lc_bytes_same(map->l_name + n - tail, LC_PILOT_OBJECT))
        filter->pilot = map;
}

bool lc_watch_filter_is_set(struct lc_watch_filter *filter)
{
    if (filter->pilot && !filter->is_set)
        filter->is_set = lc_symbol_address(filter->pilot, SYMBOL_OF(LC_FILTER_SYMBOL));
    return filter->is_set && __atomic_load_n(filter->is_set, __ATOMIC_ACQUIRE);
}
