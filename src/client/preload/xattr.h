/* SPDX-License-Identifier: MIT */
/* xattr.h - extended attributes that a recorded file does not have */
#ifndef LC_PRELOAD_XATTR_H
#define LC_PRELOAD_XATTR_H

#include <stdbool.h>

/* The attribute 'name' of a path, or a list of all names (NULL). True: answered, with what the call
 * returns in *result, and errno set. */
bool lc_xattr_answer(const char *path, const char *name, bool follow, long *result);

#endif
