/* SPDX-License-Identifier: MIT */
/* bindings_sum.h - read every word that a replay of bindings may read */
#include <stddef.h>

#include "image/bindings.h"

static inline size_t bindings_sum(const struct lc_bindings *b)
{
    struct lc_bind_parts w;
    size_t sum = 0;

    for (uint32_t i = 0; i < b->head->groups; i++)
        for (uint32_t k = 0; lc_bindings_has_members(b, &b->group[i]) && k < b->group[i].count; k++)
            sum += b->member[b->group[i].first + k].object;
    for (uint32_t i = 0; i < b->head->plans; i++)
        if (lc_bindings_plan_parts(b, &b->plan[i], &w))
            for (const uint32_t *p = w.run; p < w.ifunc + 3ull * b->plan[i].ifuncs; p++)
                sum += *p;
    return sum;
}
