/* SPDX-License-Identifier: MIT */
/* trusted_open.h - open a file or directory for writing, following only links of trusted users
 *
 * Links of this user and of root are followed, links of other users are not: in a directory where
 * others can create names, such a link could lead to a file of this user. 'what' is for the
 * message: "write the log to ". */
#ifndef LC_UTIL_TRUSTED_OPEN_H
#define LC_UTIL_TRUSTED_OPEN_H

#include <stdio.h>

#include "util/error.h"

/* As fopen(file, "we"). NULL with err filled. */
FILE *lc_trusted_open(const char *file, const char *what, struct lc_error *err);

/* Open an existing directory. A descriptor, or -1 with err filled and errno. */
int lc_trusted_open_dir(const char *dir, const char *what, struct lc_error *err);

#endif
