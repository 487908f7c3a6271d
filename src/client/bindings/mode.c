/* SPDX-License-Identifier: MIT */
/* mode.c - are bindings to be replayed in this process? Freestanding. */
#include "client/bindings/mode.h"

#include "client/audit/key.h"

enum { OURS, WEAK, PROFILE, PRUNE, TUNABLES, NAMES };

enum { WORTHWHILE = 32 }; /* objects: below, ld.so's comparing of names takes next to nothing */

/* A tunable may choose another way of sorting. */
static uint32_t prune_from(const char *first)
{
    if (first[PRUNE] == 'o' || first[TUNABLES])
        return UINT32_MAX;
    return first[PRUNE] == 's' ? 2 : WORTHWHILE;
}

enum lc_bind_mode lc_bind_mode(uint32_t *from)
{
    static const char *const name[NAMES] = {LC_BIND_VARIABLE, "LD_DYNAMIC_WEAK", "LD_PROFILE",
                                            LC_PRUNE_VARIABLE, "GLIBC_TUNABLES"};
    char first[NAMES]; /* of each value; 0: not set */

    if (!lc_key_initials(name, first, NAMES))
        return LC_BIND_MODE_ODD;
    *from = prune_from(first);
    if (first[OURS] == '0')
        return LC_BIND_MODE_OFF;
    if (first[WEAK] || first[PROFILE])
        return LC_BIND_MODE_ODD;
    return first[OURS] == 'v' ? LC_BIND_MODE_VERIFY : LC_BIND_MODE_ON;
}
