/* SPDX-License-Identifier: MIT */
/* hide_needed.h - hide DT_NEEDED entries that ld.so need not read while it loads a group.
 * Freestanding; called with ld.so's lock held.
 *
 * ld.so compares each needed name with the names of all loaded objects: seconds for some hundred
 * libraries that need each other. Once all objects of a recorded group are loaded and validated,
 * the names that ld.so has not read yet cannot lead to anything new. Hidden are only entries that
 * name an object of the same group which was loaded later, and only in objects for which 'record'
 * has shown that the order of initialisation stays the same (src/record/bind_init_order.c). The
 * entries are restored before RELRO.
 *
 * What is lost is the hidden object's place in ld.so's own list of dependencies, which decides the
 * order of initialisation and finalisation and what dlclose unloads. The order is the same, for
 * initialisation by what 'record' has shown and for finalisation by load_order.h, unless something
 * loaded later depends on the object; before unloading, and in that case, the preload completes the
 * list (preload/complete_needed.h). */
#ifndef LC_CLIENT_BINDINGS_HIDE_NEEDED_H
#define LC_CLIENT_BINDINGS_HIDE_NEEDED_H

#include "client/bindings/group_writer.h"
#include "node/dlopen_notes.h"
#include "node/loaded_objects.h"

enum {
    LC_HIDDEN_TAG = 0x6c63d710, /* replaces DT_NEEDED; between DT_LOOS and DT_HIOS, so ignored */
    LC_HIDE_NAMES = 4 * LC_OBJECTS_MAX,
    LC_HIDE_OPENINGS = 16,
};

/* A name by which ld.so knows an object of a group with hidden entries. */
struct lc_group_name {
    uint64_t hash;
    uint32_t group;         /* number of the group; 0: a free slot */
    uint32_t place : 31;    /* index among the group's new objects */
    uint32_t keeps_all : 1; /* none of its own entries may be hidden */
};

struct lc_hide_needed {
    uint32_t least;        /* hide in groups of at least so many new objects; UINT32_MAX: never */
    bool is_version_known; /* ld.so has been seen */
    bool is_new_sort;      /* ld.so sorts as glibc does since 2.35 */
    uint32_t names, groups, openings;
    struct lc_group_opening opening[LC_HIDE_OPENINGS];
    struct lc_partial_object partial[LC_OBJECTS_MAX]; /* notes->partials of them */
    struct lc_group_name name[LC_HIDE_NAMES];         /* a hash table */
};

/* As 'least' says, or UINT32_MAX if this ld.so sorts in a way that was not tested. */
uint32_t lc_hide_needed_least(const struct lc_hide_needed *h);

/* The new objects are a whole group, and its bindings are written. ld.so now reads what the object
 * with the cookie 'reading' needs. How many entries were hidden. */
uint32_t lc_hide_needed_group(struct lc_hide_needed *h, struct lc_group_writer *w,
                              struct lc_dlopen_notes *notes, uintptr_t reading);

/* The object has been relocated: restore its entries. */
void lc_hide_needed_restore(struct lc_new_object *p);

/* An object was loaded, one of no group with hidden entries so far. Does it depend on one that is?
 */
void lc_hide_needed_opened(struct lc_hide_needed *h, const struct link_map *map,
                           struct lc_dlopen_notes *notes);
void lc_hide_needed_closed(struct lc_hide_needed *h, const struct link_map *map,
                           struct lc_dlopen_notes *notes);

#endif
