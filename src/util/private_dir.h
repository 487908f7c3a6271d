/* SPDX-License-Identifier: MIT */
/* private_dir.h - a directory that only this user can access */
#ifndef LC_UTIL_PRIVATE_DIR_H
#define LC_UTIL_PRIVATE_DIR_H

#include "util/error.h"

/* Make the directory with mode 0700, or use an existing one if it is a directory (not a link) of
 * this user that nobody else may enter. 'hint' is added to the message if it is not. 0, or -1 with
 * err filled and errno EPERM if the directory cannot be trusted. */
int lc_private_dir_make(const char *dir, const char *hint, struct lc_error *err);

#endif
