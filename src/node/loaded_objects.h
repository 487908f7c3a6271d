/* SPDX-License-Identifier: MIT */
/* loaded_objects.h - the loaded objects, which object loaded each, and whose DT_RPATH ld.so
 * searches. Freestanding. */
#ifndef LC_NODE_LOADED_OBJECTS_H
#define LC_NODE_LOADED_OBJECTS_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

enum { LC_OBJECTS_MAX = 8192 };

struct lc_object {
    const char *path;               /* belongs to the link map; NULL: a free place */
    char *full;                     /* of a relative path, as it was when it was opened; or NULL */
    const struct link_map *map;     /* as long as the object is loaded */
    const struct lc_object *loader; /* NULL for the program and what came with it */
    bool has_rpath;                 /* DT_RPATH and no DT_RUNPATH */
    bool has_runpath;
};

/* What every process uses stands before the large arrays, here and in other structures of the
 * client: each page that is touched costs the process a page fault. */
struct lc_objects {
    size_t count;
    struct lc_object *program;
    struct lc_object item[LC_OBJECTS_MAX];
};

/* Add a loaded object. Returns its number, counted from 1, which ld.so gets as its cookie; 0 if
 * there is no room. 'loader' is the cookie of the object that needs it, or 0. */
uintptr_t lc_objects_add(struct lc_objects *all, const struct link_map *map, const char *path,
                         uintptr_t loader);
void lc_objects_remove(struct lc_objects *all, uintptr_t cookie);
struct lc_object *lc_objects_get(struct lc_objects *all, uintptr_t cookie); /* NULL if unknown */

bool lc_objects_have(const struct lc_objects *all, const char *path);

/* Who asks: the number behind la_objsearch's cookie; 0: nobody. While ld.so before glibc 2.35 loads
 * a second auditor it asks the first one on behalf of no object, and the cookie is a member of
 * NULL. */
static inline uintptr_t lc_objects_asker(const uintptr_t *cookie)
{
    const uintptr_t first_page = 4096;

    return (uintptr_t)cookie < first_page ? 0 : *cookie;
}

/* XXH64 over the paths of the objects whose DT_RPATH is searched for 'loader'; 0 if none. */
uint64_t lc_objects_chain(const struct lc_objects *all, const struct lc_object *loader);

#endif
