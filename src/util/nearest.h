/* SPDX-License-Identifier: MIT */
/* nearest.h - find the name that a misspelt word was meant to be */
#ifndef LC_UTIL_NEAREST_H
#define LC_UTIL_NEAREST_H

#include <stddef.h>

/* The name closest to 'word' by edit distance (insert, delete, replace, swap of neighbours), or
 * NULL if none is near enough to be worth suggesting. names[] ends with NULL. */
const char *lc_nearest(const char *word, const char *const *names);

#endif
