/* SPDX-License-Identifier: MIT */
/* list.h - what is in the store, and keeping it below its cap */
#ifndef LC_STORE_LIST_H
#define LC_STORE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/entry.h"

struct lc_store_item {
    char key[LC_STORE_KEY];
    bool has_image;
    uint64_t bytes;        /* that the image takes on the disk */
    uint64_t used_wall_ns; /* by a job; else when it was recorded */
    uint64_t jobs;
    json_t *about; /* owned by the list; NULL: there is none, or it is damaged */
};

struct lc_store_list {
    struct lc_store_item *item; /* the one that was used last comes first */
    size_t count, cap;
    uint64_t bytes; /* of all images */
};

/* Read the store. Names that are not the store's own are passed over, and files may vanish
 * meanwhile. 0, or -1 with err filled. The caller frees the list in both cases. */
int lc_store_list_read(struct lc_store_list *list, const struct lc_store_dir *dir,
                       struct lc_error *err);
void lc_store_list_free(struct lc_store_list *list);

/* How many bytes of images the store may hold: $LOADCAST_STORE_CAP ("20G"), else the site's, else 5
 * GB. A value that makes no sense is ignored. */
uint64_t lc_store_cap_bytes(void);

/* Remove the images that were not used for longest until at most 'cap_bytes' are left, and what
 * processes that died left behind. The image of 'keep' (may be NULL) stays. The number of images
 * removed. */
size_t lc_store_trim(const struct lc_store_dir *dir, uint64_t cap_bytes, const char *keep);

#endif
