/* SPDX-License-Identifier: MIT */
/* candidates.h - which of the recorded groups may be the one that is being loaded? Freestanding. */
#ifndef LC_CLIENT_BINDINGS_CANDIDATES_H
#define LC_CLIENT_BINDINGS_CANDIDATES_H

#include <stdint.h>

#include "image/bindings.h"

enum { LC_CANDIDATES_MAX = 16 };

struct lc_candidates {
    struct lc_candidate {
        const struct lc_bind_group *group;
        uint32_t at; /* its members before this one are there */
    } item[LC_CANDIDATES_MAX];
    uint32_t count;
};

/* What is loaded, by object. */
struct lc_present {
    const struct lc_bindings *b;
    const uint64_t *base;    /* 0: it is not */
    const uint8_t *is_alias; /* ld.so does not know it by the name others need it by */
};

/* The groups with these flags that begin with this root, in this scope (0: a start has none). */
void lc_candidates_find(struct lc_candidates *all, const struct lc_bindings *b, uint32_t root,
                        uint32_t flags, uint64_t scope);

/* Drop those that did not expect this object next. To be called before it counts as loaded. */
void lc_candidates_filter(struct lc_candidates *all, const struct lc_present *present,
                          uint32_t object);

/* The one all of whose members are there; NULL: not yet, or more than one may be meant. */
const struct lc_bind_group *lc_candidates_complete(struct lc_candidates *all,
                                                   const struct lc_present *present);

#endif
