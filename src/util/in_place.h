/* SPDX-License-Identifier: MIT */
/* in_place.h - open what stands under a name, to write to it
 *
 * Links of this user and of root are followed, those of others are not: where others may make
 * names, one of theirs could lead to something of this user's. 'what' is for the message: "write
 * the log to ". */
#ifndef LC_UTIL_IN_PLACE_H
#define LC_UTIL_IN_PLACE_H

#include <stdio.h>

#include "util/error.h"

/* As fopen(file, "we"). NULL with err filled. */
FILE *lc_in_place_open(const char *file, const char *what, struct lc_error *err);

/* A directory that is there. A descriptor, or -1 with err filled and errno. */
int lc_in_place_open_dir(const char *dir, const char *what, struct lc_error *err);

#endif
