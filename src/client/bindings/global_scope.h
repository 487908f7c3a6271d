/* SPDX-License-Identifier: MIT */
/* global_scope.h - ld.so's global symbol scope, as far as an auditor can follow it. Freestanding.
 *
 * A recorded group is valid only in the global scope it was recorded in, because symbols are looked
 * up there first. The scope is compared by a hash. */
#ifndef LC_CLIENT_BINDINGS_GLOBAL_SCOPE_H
#define LC_CLIENT_BINDINGS_GLOBAL_SCOPE_H

#include <stdbool.h>
#include <stdint.h>

#include "image/bindings.h"
#include "node/loaded_objects.h"

struct lc_global_scope {
    uint32_t count;
    uint64_t hash;      /* over all items; 0: there are none */
    uint8_t *is_global; /* per recorded object; the caller's memory, zeroed */
    struct lc_bind_scope_item item[LC_OBJECTS_MAX]; /* in search order */
};

/* Add one item for dlopens with RTLD_GLOBAL that loaded nothing new: which loaded objects they made
 * global is not visible, so 'identity' is a hash of the calls and of all that was loaded. False:
 * there is no room. */
bool lc_global_scope_add_calls(struct lc_global_scope *scope, uint64_t identity);

/* Add all objects of a group that are not in the scope yet. False: there is no room. */
bool lc_global_scope_add_group(struct lc_global_scope *scope, const struct lc_bindings *recorded,
                               const struct lc_bind_group *g);

/* An object was unloaded. */
void lc_global_scope_remove(struct lc_global_scope *scope, uint32_t object);

#endif
