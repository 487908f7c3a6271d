/* SPDX-License-Identifier: MIT */
/* owned.h - directories in shared temporary space that are nobody's but ours
 *
 * /dev/shm and /tmp belong to everyone: whoever comes first may have put a link, a file or a
 * directory of his own where ours is to stand. Nothing here follows a link in last place, and
 * everything that is opened is looked at through its descriptor, not its name. */
#ifndef LC_STAGE_OWNED_H
#define LC_STAGE_OWNED_H

#include <stdbool.h>

#include "util/error.h"

/* Open the directory 'path' (absolute, without links), if nobody but this user and root can put
 * another one in its place: each step of the path is opened from the one before and judged through
 * its descriptor. A descriptor (close-on-exec), or -1 with err filled: which directory and why. */
int lc_owned_open_path(const char *path, struct lc_error *err);

/* Open the directory 'name' below 'at', if it is ours and closed to others. With 'make' it is made
 * with mode 0700 when absent. 'where' is its path in messages. A descriptor (close-on-exec), or -1
 * with err filled and errno: ENOENT absent, EPERM not to be trusted, else why. */
int lc_owned_open(int at, const char *name, bool make, const char *where, struct lc_error *err);

/* Remove what 'name' below 'at' is, with everything in it; links are removed, not followed.
 * 0, or -1 with errno. */
int lc_owned_remove(int at, const char *name);

/* Bytes that a tree takes, blocks counted, hard links once; 0 if it cannot be read. */
unsigned long long lc_owned_bytes(int at, const char *name);

#endif
