/* SPDX-License-Identifier: MIT */
/* transfer.h - images into the store and out of it */
#ifndef LC_STORE_TRANSFER_H
#define LC_STORE_TRANSFER_H

#include "store/entry.h"

/* Copy the key's image to a file ("-": standard output), which is replaced completely or not at
 * all. 0, or -1 with err filled. */
int lc_store_export(const struct lc_store_dir *dir, const char *key, const char *file,
                    struct lc_error *err);

/* Copy a file into the store as the key's image, if it is one: all of it is verified first. An
 * overlay is refused. 0, or -1 with err filled and errno EBADMSG if it is no usable image. */
int lc_store_import(const struct lc_store_dir *dir, const struct lc_store_key *key,
                    const char *file, struct lc_error *err);

#endif
