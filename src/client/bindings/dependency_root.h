/* SPDX-License-Identifier: MIT */
/* dependency_root.h - one object that needs what many modules need, so that ld.so has only one name
 * to resolve for each of them. Freestanding; called with ld.so's lock held.
 *
 * For each DT_NEEDED entry of a module ld.so compares the name with the names of all loaded
 * objects, even when everything the module needs is loaded. The entries cannot simply be hidden:
 * from them ld.so derives the order of finalisation and what dlclose may unload. So the preload
 * makes a dependency root, an object without code, symbols or initialisers that needs what a first
 * such module, the model, needs, and opens it: ld.so makes the complete lists for the root. Modules
 * with the same dependencies then show ld.so the root as their only DT_NEEDED, and the root's own
 * entries are hidden. A module reaches everything through the root, so finalisation and unloading
 * are unchanged. Only a symbol search that begins at the module ends at the root; the preload's
 * dlsym continues it there. */
#ifndef LC_CLIENT_BINDINGS_DEPENDENCY_ROOT_H
#define LC_CLIENT_BINDINGS_DEPENDENCY_ROOT_H

#include "client/bindings/group_writer.h"
#include "node/dlopen_notes.h"

struct lc_dependency_roots {
    uint32_t count, users;
    uint64_t key[LC_DEPENDENCY_ROOTS];   /* hash of all objects below the model, in ld.so's order */
    bool is_hidden[LC_DEPENDENCY_ROOTS]; /* the DT_NEEDED entries of the root itself are hidden */
    struct lc_dependency_root root[LC_DEPENDENCY_ROOTS];
    struct lc_root_user user[LC_ROOT_USERS];
};

/* Let the only new object of the group use a dependency root, or make it the model of one; only if
 * its search list has more than 'least' objects. How many names were hidden. */
uint32_t lc_dependency_root_use(struct lc_dependency_roots *all, struct lc_group_writer *w,
                                struct lc_dlopen_notes *notes, uint32_t least);

/* Write back the object's own first DT_NEEDED. */
void lc_dependency_root_restore(struct lc_new_object *p);

/* An object was loaded. True if it is a dependency root: it belongs to no recorded group. */
bool lc_dependency_root_opened(struct lc_dependency_roots *all, const struct link_map *map);
void lc_dependency_root_closed(struct lc_dependency_roots *all, const struct link_map *map);

#endif
