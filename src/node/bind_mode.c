/* SPDX-License-Identifier: MIT */
/* bind_mode.c - decide whether bindings are replayed in this process. Freestanding. */
#include "node/bind_mode.h"

enum { WORTHWHILE = 32 }; /* objects: with fewer, ld.so compares names in next to no time */

void lc_bind_mode_wants(struct lc_variable *v, char (*first)[2])
{
    static const char *const name[LC_MODE_VARIABLES] = {LC_BIND_VARIABLE, "LD_DYNAMIC_WEAK",
                                                        "LD_PROFILE", LC_PRUNE_VARIABLE};

    for (size_t i = 0; i < LC_MODE_VARIABLES; i++)
        v[i] = (struct lc_variable){name[i], first[i], sizeof(first[i]), 0};
}

/* The smallest group whose names are hidden. None if any tunable is set: it may choose another sort
 * order. */
static uint32_t prune_from(const struct lc_variable *v, const struct lc_key *key)
{
    char first = v[LC_MODE_PRUNE].out[0];

    if (first == 'o' || first == '0' || key->tunables[0])
        return UINT32_MAX;
    return first == 's' ? 2 : WORTHWHILE;
}

enum lc_bind_mode lc_bind_mode(const struct lc_variable *v, const struct lc_key *key,
                               uint32_t *from)
{
    char first = v[LC_MODE_OURS].out[0];

    if (!key->has_environment)
        return LC_BIND_MODE_ODD;
    *from = prune_from(v, key);
    if (first == '0')
        return LC_BIND_MODE_OFF;
    if (v[LC_MODE_WEAK].found || v[LC_MODE_PROFILE].found)
        return LC_BIND_MODE_ODD;
    return first == 'v' ? LC_BIND_MODE_VERIFY : LC_BIND_MODE_ON;
}
