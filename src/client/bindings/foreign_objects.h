/* SPDX-License-Identifier: MIT */
/* foreign_objects.h - objects that the recording did not see, opened RTLD_LOCAL, and all that came
 * with them. Freestanding; called with ld.so's lock held.
 *
 * Ranks may open plugins that the pilot did not: hwloc's where ranks are not bound to cores, name
 * services, another rank's modules. ld.so looks up the symbols of a recorded group in the global
 * scope and among the group's members only, so a foreign object matters in one way: a DT_NEEDED
 * name may lead to it instead of the recorded object. Therefore its names are kept, and an object
 * that needs one of them is foreign, too. */
#ifndef LC_CLIENT_BINDINGS_FOREIGN_OBJECTS_H
#define LC_CLIENT_BINDINGS_FOREIGN_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

#include "client/bindings/group_writer.h"

enum { LC_FOREIGN_NAMES = 4096 };

struct lc_foreign_objects {
    bool are_loaded;   /* there has been at least one */
    uint32_t names;    /* in the table */
    bool has_alias;    /* before that, a name has been given to an object of the dlopen under way */
    uint64_t searched; /* ld.so searched for this name, and no object was loaded since; 0: none */
    uint64_t *name;    /* a hash table of XXH64s, mapped for the first of them; 0: a free slot */
};

/* The object is one of them. False: not all of its names are known, or there is no room for them.
 */
bool lc_foreign_objects_add(struct lc_foreign_objects *all, const struct lc_new_object *p);

/* May a DT_NEEDED name of the object lead to one of them? */
bool lc_foreign_objects_are_needed(const struct lc_foreign_objects *all,
                                   const struct lc_new_object *p);

/* The first object of a dlopen is loaded. */
void lc_foreign_objects_begin(struct lc_foreign_objects *all);

/* ld.so searches for the name with this XXH64. A search that loads nothing may have found a loaded
 * object's file, which then has that name, too. False: there is no room for it. */
bool lc_foreign_objects_searched(struct lc_foreign_objects *all, uint64_t name);

/* The last search has loaded an object. */
void lc_foreign_objects_loaded(struct lc_foreign_objects *all);

#endif
