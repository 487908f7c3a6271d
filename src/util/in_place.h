/* SPDX-License-Identifier: MIT */
/* in_place.h - open what stands under a name, to write to it */
#ifndef LC_UTIL_IN_PLACE_H
#define LC_UTIL_IN_PLACE_H

#include <stdio.h>

#include "util/error.h"

/* As fopen(file, "we"). Links of this user and of root are followed, those of others are not: where
 * others may make names, one of theirs could lead to a file of this user's. 'what' is for the
 * message: "the log to ". NULL with err filled. */
FILE *lc_in_place_open(const char *file, const char *what, struct lc_error *err);

#endif
