/* SPDX-License-Identifier: MIT */
/* private_dir.h - a directory where others can neither look nor put anything */
#ifndef LC_UTIL_PRIVATE_DIR_H
#define LC_UTIL_PRIVATE_DIR_H

#include "util/error.h"

/* Make it with mode 0700, or take one that is there if it is a directory (no link) of this user's
 * that nobody else may enter. 'hint' says what to do about one that is not. 0, or -1 with err
 * filled and errno EPERM if it is not to be trusted. */
int lc_private_dir_make(const char *dir, const char *hint, struct lc_error *err);

#endif
