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

#endif
