/* SPDX-License-Identifier: MIT */
/* images.h - the parts of loadcast images */
#ifndef LC_CMD_IMAGES_H
#define LC_CMD_IMAGES_H

#include <stdbool.h>

#include "store/list.h"

/* images_show.c: print the store as a table, or one image with what its key is made of; as JSON
 * with 'json'. */
void lc_images_print_list(const struct lc_store_dir *dir, const struct lc_store_list *list,
                          bool json);
void lc_images_print_one(const struct lc_store_dir *dir, const struct lc_store_item *item,
                         bool json);

/* images_forget.c: take what jobs have added since a time out of one image, and tell how much that
 * was. 0, or -1 with err filled. */
int lc_images_forget(const struct lc_store_dir *dir, const char *key, uint64_t since_wall_ns,
                     struct lc_error *err);
/* A time as people write it, UTC: "2026-01-31T12:34:56Z", "2026-01-31", or so long ago: "2h". 0, or
 * -1 with err filled. */
int lc_images_parse_time(const char *text, uint64_t *wall_ns, struct lc_error *err);

#endif
