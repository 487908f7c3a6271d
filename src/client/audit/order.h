/* SPDX-License-Identifier: MIT */
/* order.h - ld.so's search for a library by its bare name, gone through without ld.so.
 * Freestanding. */
#ifndef LC_AUDIT_ORDER_H
#define LC_AUDIT_ORDER_H

#include <stdbool.h>

#include "image/format.h"
#include "node/ld_cache.h"
#include "node/loaded_objects.h"

/* What there is at a path: nothing; the same as recorded; something the recording did not see;
 * only the disk can tell. */
enum lc_there { LC_THERE_NOTHING, LC_THERE_RECORDED, LC_THERE_NEW, LC_THERE_UNKNOWN };
typedef enum lc_there (*lc_there_fn)(void *files, const char *path);
/* Does the image say anything of a path, whatever has become of it since? */
typedef bool (*lc_known_fn)(void *files, const char *path);

enum { LC_ORDER_DIRECTORIES = 64 };

/* What is kept from one search to the next; all zero at first. */
struct lc_order_memory {
    uint64_t has_no_variants[LC_ORDER_DIRECTORIES]; /* hashes of directories, by hash */
};

/* One search. */
struct lc_order {
    const struct lc_objects *all;
    const struct lc_object *loader;
    const char *library_path; /* LD_LIBRARY_PATH */
    const char *name;
    const char *result; /* what it gave when it was recorded; NULL: find it */
    uint32_t cpu_level; /* x86-64-vN of this processor */
    lc_there_fn there;
    lc_known_fn known;
    void *files; /* for both */
    struct lc_order_memory *memory;
    /* Only to find one: */
    const struct lc_ld_cache *cache; /* NULL: not known */
    const char *const *directory;    /* the default directories, and perhaps others; ends in NULL */
    char path[LC_PATH_MAX];          /* of what was found */
};

/* True if no directory that is searched before the result's has got the name since. In doubt false.
 */
bool lc_order_holds(struct lc_order *order);

/* Where ld.so finds the name, in order->path; nowhere; or only ld.so can tell. */
enum lc_order_result { LC_ORDER_FOUND, LC_ORDER_NOWHERE, LC_ORDER_UNKNOWN };
enum lc_order_result lc_order_find(struct lc_order *order);

#endif
