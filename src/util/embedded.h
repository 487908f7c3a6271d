/* SPDX-License-Identifier: MIT */
/* embedded.h - files carried inside the executable; tables of them are made by util/embed.c and end
 * with a zeroed entry */
#ifndef LC_UTIL_EMBEDDED_H
#define LC_UTIL_EMBEDDED_H

#include <stddef.h>

struct lc_embedded {
    const char *name;
    const char *data; /* ends with a NUL that is not counted */
    size_t len;
};

/* The content of the file of this name; NULL if the table lacks it. */
const char *lc_embedded_text(const struct lc_embedded *table, const char *name);

#endif
