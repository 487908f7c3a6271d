/* SPDX-License-Identifier: MIT */
/* own.h - where do this program and its front lie? */
#ifndef LC_UTIL_OWN_H
#define LC_UTIL_OWN_H

#include <limits.h>

#include "util/error.h"

/* The directory of this program (loadcast-full), without a slash at its end; our objects lie beside
 * it. 0, or -1 with err filled. */
int lc_own_directory(char out[PATH_MAX], struct lc_error *err);

/* 'loadcast' as users call it (src/front): beside this program in a build directory, in ../../bin
 * when it is installed. 0, or -1 with err filled. */
int lc_own_front(char out[PATH_MAX], struct lc_error *err);

#endif
