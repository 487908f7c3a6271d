/* SPDX-License-Identifier: MIT */
/* own_path.h - paths of this program and of 'loadcast' */
#ifndef LC_UTIL_OWN_PATH_H
#define LC_UTIL_OWN_PATH_H

#include <limits.h>

#include "util/error.h"

/* The directory of this program (loadcast-full), without a slash at its end; audit.so and
 * preload.so are in it. 0, or -1 with err filled. */
int lc_own_directory(char out[PATH_MAX], struct lc_error *err);

/* The path of 'loadcast', the program that users call (src/front): beside this program in a build
 * directory, in ../../bin when installed. 0, or -1 with err filled. */
int lc_own_front(char out[PATH_MAX], struct lc_error *err);

#endif
