/* SPDX-License-Identifier: MIT */
/* dir.h - the directory of the user's store: images by what they are for, and small facts
 *
 * $LOADCAST_STORE, else $XDG_CACHE_HOME/loadcast, else ~/.cache/loadcast. There are no locks: a
 * file appears by rename and is complete from then on, so nothing that dies can leave the store
 * unusable. */
#ifndef LC_STORE_DIR_H
#define LC_STORE_DIR_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "util/error.h"

/* Names of files that are not complete yet begin so; one that is a day old is removed. */
#define LC_STORE_TEMPORARY ".new-"

struct lc_store_dir {
    int fd; /* -1: none */
    char path[PATH_MAX];
};

/* The initial value, which may be closed. */
#define LC_STORE_DIR_NONE ((struct lc_store_dir){.fd = -1})

/* Name the directory without looking at it. 0, or -1 with err filled and errno ENOENT (no home) or
 * ENAMETOOLONG. */
int lc_store_dir_name(char out[PATH_MAX], struct lc_error *err);

/* Open the directory, and make it if there is none and 'make' is true. It must be a directory (not
 * a link) of this user that nobody else may enter. 0, or -1 with err filled and errno: ENOENT there
 * is none. */
int lc_store_dir_open(struct lc_store_dir *dir, bool make, struct lc_error *err);
void lc_store_dir_close(struct lc_store_dir *dir);

/* Replace a file of the store by these bytes, mode 0600. 0, or -1 with errno and the old file
 * unchanged. */
int lc_store_dir_put(const struct lc_store_dir *dir, const char *name, const void *bytes,
                     size_t len);

/* Read a small file of the store whole, as text. Its length, or -1 with errno (EFBIG: it does not
 * fit). */
ssize_t lc_store_dir_get(const struct lc_store_dir *dir, const char *name, char *out, size_t size);

#endif
