/* SPDX-License-Identifier: MIT */
/* mode.c - are bindings to be replayed in this process? Freestanding. */
#include "client/bindings/mode.h"

#include "client/audit/key.h"

enum { OURS, WEAK, PROFILE, NAMES };

enum lc_bind_mode lc_bind_mode(void)
{
    static const char *const name[NAMES] = {LC_BIND_VARIABLE, "LD_DYNAMIC_WEAK", "LD_PROFILE"};
    char first[NAMES]; /* of each value; 0: not set */

    if (!lc_key_initials(name, first, NAMES))
        return LC_BIND_MODE_ODD;
    if (first[OURS] == '0')
        return LC_BIND_MODE_OFF;
    if (first[WEAK] || first[PROFILE])
        return LC_BIND_MODE_ODD;
    return first[OURS] == 'v' ? LC_BIND_MODE_VERIFY : LC_BIND_MODE_ON;
}
