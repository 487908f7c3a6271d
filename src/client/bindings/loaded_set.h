/* SPDX-License-Identifier: MIT */
/* loaded_set.h - which of the recorded objects are loaded now. Freestanding.
 *
 * ld.so takes the first loaded object that has the wanted name, so bindings can be replayed only
 * while each name leads to one object. The set therefore reports when an object is loaded twice, or
 * when two objects are loaded that were seen under the same name. */
#ifndef LC_CLIENT_BINDINGS_LOADED_SET_H
#define LC_CLIENT_BINDINGS_LOADED_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/bindings.h"
#include "node/loaded_objects.h"

/* The arrays per recorded object are the caller's memory, zeroed. */
struct lc_loaded_set {
    const struct lc_bindings *recorded;
    uint64_t *base;       /* per object: its address + 1 if it is loaded, else 0 */
    uint8_t *is_excluded; /* per object: it is no member of recorded groups, because ld.so does not
                             know it by the name others need it by, or by lc_loaded_set_exclude() */
    uint32_t *same_name;  /* per set of objects with a common name: how many are loaded, at the
                             index that lc_bind_object.name_set gives */
    uint32_t count;       /* of 'order' */
    uint32_t of_cookie[LC_OBJECTS_MAX + 1]; /* object + 1; 0: none */
    uint32_t order[LC_OBJECTS_MAX];         /* objects as they were loaded; LC_NONE: unloaded */
};

/* An object was loaded at 'base'; ld.so searched for it by the name with the XXH64 'asked_name'.
 * The cookie is one of 1 to LC_OBJECTS_MAX, and there is room. NULL, or why nothing more may be
 * replayed. */
const char *lc_loaded_set_add(struct lc_loaded_set *set, uint32_t object, uintptr_t base,
                              uintptr_t cookie, uint64_t asked_name);

/* The object with this cookie is being unloaded. Its number, LC_NONE if it is none of the set;
 * *place is where it was in 'order'. */
uint32_t lc_loaded_set_remove(struct lc_loaded_set *set, uintptr_t cookie, uint32_t *place);

/* From now on, until it is loaded anew, the object is excluded. */
void lc_loaded_set_exclude(struct lc_loaded_set *set, uint32_t object);

/* Is the object loaded, and not excluded? */
bool lc_loaded_set_has(const struct lc_loaded_set *set, uint32_t object);

/* A hash over all loaded objects in the order they were loaded, starting with 'hash'. */
uint64_t lc_loaded_set_hash(const struct lc_loaded_set *set, uint64_t hash);

#endif
