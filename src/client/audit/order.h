/* SPDX-License-Identifier: MIT */
/* order.h - would ld.so find something earlier than what was recorded? Freestanding. */
#ifndef LC_AUDIT_ORDER_H
#define LC_AUDIT_ORDER_H

#include <stdbool.h>

#include "node/loaded_objects.h"

/* What there is at a path: as recorded, nothing, or something the recording did not see. */
enum lc_there { LC_THERE_NOTHING, LC_THERE_RECORDED, LC_THERE_NEW };
typedef enum lc_there (*lc_there_fn)(const char *path);
/* Does the image say anything of a path, whatever has become of it since? */
typedef bool (*lc_known_fn)(const char *path);

/* A search and what it gave when it was recorded. */
struct lc_order {
    const struct lc_objects *all;
    const struct lc_object *loader;
    const char *library_path; /* LD_LIBRARY_PATH */
    const char *name;
    const char *result;
    lc_there_fn there;
    lc_known_fn known;
    uint32_t cpu_level; /* x86-64-vN of this processor */
};

/* True if no directory that is searched before the result's has got the name since. In doubt false.
 */
bool lc_order_holds(const struct lc_order *order);

#endif
