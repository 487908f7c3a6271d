/* SPDX-License-Identifier: MIT */
/* owned.h - directories in shared temporary space that belong to this user alone
 *
 * Everybody can write to /dev/shm and /tmp: another user may have put a link, a file or a directory
 * where ours is to be. Nothing here follows a link at the end of a path, and whatever is opened is
 * judged through its descriptor, not by its name. */
#ifndef LC_STAGE_OWNED_H
#define LC_STAGE_OWNED_H

#include <stdbool.h>

#include "util/error.h"

/* Open the directory 'path' (absolute, without links) if nobody but this user and root can put
 * another one in its place: each directory of the path is opened through the one before and judged
 * by its descriptor. A descriptor (close-on-exec), or -1 with err filled. */
int lc_owned_open_path(const char *path, struct lc_error *err);

/* Open the directory 'name' below 'at' if it is this user's and closed to others. With 'make' it is
 * made with mode 0700 if absent. 'where' is its path for messages. A descriptor (close-on-exec), or
 * -1 with err filled and errno: ENOENT absent, EPERM not to be trusted, else why. */
int lc_owned_open(int at, const char *name, bool make, const char *where, struct lc_error *err);

/* Remove 'name' below 'at', with everything in it; links are removed, not followed. 0, or -1 with
 * errno. */
int lc_owned_remove(int at, const char *name);

/* Bytes that a tree takes, in whole blocks, hard links counted once; 0 if it cannot be read. */
unsigned long long lc_owned_bytes(int at, const char *name);

#endif
