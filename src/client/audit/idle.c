/* SPDX-License-Identifier: MIT */
/* idle.c - an auditor that has nothing to do in this process. Freestanding. */
#include "client/audit/idle.h"

#include "client/audit/key.h"

/* The version that came with glibc 2.35. */
enum { FORGETS_SAFELY = 2 };

/* ld.so before glibc 2.35 tells those auditors that stay when it unloads one, and takes the world
 * of the unloaded one to be there still. */
unsigned lc_idle_version(unsigned version)
{
    char list[4096];
    bool is_alone = true;

    if (version >= FORGETS_SAFELY)
        return 0;
    if (!lc_key_environment("LD_AUDIT", list, sizeof(list)))
        return version;
    for (const char *c = list; *c; c++)
        is_alone = is_alone && *c != ':';
    return is_alone ? 0 : version;
}
