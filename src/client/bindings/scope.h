/* SPDX-License-Identifier: MIT */
/* scope.h - ld.so's global scope, as far as it is known. Freestanding. */
#ifndef LC_CLIENT_BINDINGS_SCOPE_H
#define LC_CLIENT_BINDINGS_SCOPE_H

#include <stdbool.h>
#include <stdint.h>

#include "image/bindings.h"
#include "node/loaded_objects.h"

struct lc_scope {
    struct lc_bind_scope_item item[LC_OBJECTS_MAX]; /* in order */
    uint32_t count;
    uint64_t hash;      /* of all of them; 0: there are none */
    uint8_t *is_global; /* per object; the caller's memory */
};

/* RTLD_GLOBAL calls that brought no object; everything in a group. False: there is no room. */
bool lc_scope_add_calls(struct lc_scope *scope, uint64_t identity);
bool lc_scope_add_group(struct lc_scope *scope, const struct lc_bindings *b,
                        const struct lc_bind_group *g);

void lc_scope_remove(struct lc_scope *scope, uint32_t object);

#endif
