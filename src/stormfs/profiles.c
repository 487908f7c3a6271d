/* SPDX-License-Identifier: MIT */
/* profiles.c - the shared file systems that stormfs can simulate; see profiles.h before changing */
#include "stormfs/profiles.h"

#include <stddef.h>
#include <string.h>

const char *const lc_profile_names[] = {"none", "local", "nfs", "lustre", NULL};

/* clang-format off */
static const struct lc_profile profiles[] = {
    /* name   servers service latency bandwidth  names attributes directories absent */
    {"none",   1,      0,        0,       0,        1,    1,         1,          0},
    {"local",  1,      0,       80,    2000,     3600, 3600,      3600,       3600},
    {"nfs",    1,     92,      200,    1000,        0,    1,        30,          0},
    {"lustre", 1,      9.5,    100,   10000,        0,    1,        30,          0},
};
/* clang-format on */

const struct lc_profile *lc_profile_find(const char *name)
{
    for (size_t i = 0; i < sizeof(profiles) / sizeof(*profiles); i++)
        if (strcmp(profiles[i].name, name) == 0)
            return &profiles[i];
    return NULL;
}
