/* SPDX-License-Identifier: MIT */
/* embedded.h - a file carried inside the executable; tables of them are made by gen/embed.c and end
 * with a zeroed entry */
#ifndef LC_UTIL_EMBEDDED_H
#define LC_UTIL_EMBEDDED_H

#include <stddef.h>

struct lc_embedded {
    const char *name;
    const char *data; /* ends with a NUL that is not counted */
    size_t len;
};

#endif
