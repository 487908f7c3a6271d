/* SPDX-License-Identifier: MIT */
/* group_candidates.h - which recorded groups agree with the objects that ld.so has loaded so far?
 * Freestanding.
 *
 * A group is what one program start or one dlopen loads. Which of the recorded groups it is shows
 * only object by object: each new object drops the groups that expected another one. */
#ifndef LC_CLIENT_BINDINGS_GROUP_CANDIDATES_H
#define LC_CLIENT_BINDINGS_GROUP_CANDIDATES_H

#include <stdint.h>

#include "client/bindings/loaded_set.h"

enum { LC_GROUP_CANDIDATES_MAX = 16 };

struct lc_group_candidates {
    struct lc_group_candidate {
        const struct lc_bind_group *group;
        uint32_t next; /* the group's members before this one are loaded */
    } item[LC_GROUP_CANDIDATES_MAX];
    uint32_t count;
};

/* The groups with these flags that begin with this object and were recorded in a global scope with
 * this hash. The scope of a program start is not compared. */
void lc_group_candidates_find(struct lc_group_candidates *all, const struct lc_bindings *recorded,
                              uint32_t root, uint32_t flags, uint64_t scope);

/* Drop those that did not expect this object next. Call it before the object is in 'loaded'. */
void lc_group_candidates_filter(struct lc_group_candidates *all, const struct lc_loaded_set *loaded,
                                uint32_t object);

/* The group all of whose members are loaded; NULL if objects are still missing or more than one
 * group is left. */
const struct lc_bind_group *lc_group_candidates_complete(struct lc_group_candidates *all,
                                                         const struct lc_loaded_set *loaded);

#endif
