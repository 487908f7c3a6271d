/* SPDX-License-Identifier: MIT */
/* dlsym.c - a symbol search that begins at a module which uses a dependency root continues below
 * it.
 *
 * As with dlopen, the C library's own function must see the program as its caller. So the wrapper
 * jumps to it wherever it finds the symbol, or nobody does, and answers only what the C library
 * misses and the root's list has. ld.so need not add a dependency for such an answer, because the
 * module needs that object anyway.
 *
 * It also notes whether the program gets a dlopen that writes no notes (node/dlopen_notes.h). */
#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "client/preload/complete_needed.h"
#include "client/preload/deferred_dlopen.h"
#include "client/preload/dlerror.h"
#include "client/preload/next.h"
#include "image/bytes.h"
#include "node/arch.h"

/* The arguments of a dlsym or dlvsym. */
struct search {
    void *handle;
    const char *name, *version; /* version is NULL for dlsym */
};

struct lc_next_answer lc_dlsym_prepare(void *handle, const char *name, const char *version,
                                       uintptr_t caller)
    __attribute__((visibility("hidden"), used));

__asm__(LC_ARCH_DLSYM_TEXT);

static void *no_dlsym(void *handle, const char *name, const char *version)
{
    (void)handle;
    (void)name;
    (void)version;
    return NULL;
}

static void *symbol_find(const struct search *s, void *handle)
{
    return s->version ? NEXT(void *, dlvsym, (void *, const char *, const char *))(handle, s->name,
                                                                                   s->version)
                      : NEXT(void *, dlsym, (void *, const char *))(handle, s->name);
}

/* Is it defined, even if its value is 0? */
static bool symbol_is_defined(const struct search *s, void *handle)
{
    return symbol_find(s, handle) || !NEXT(char *, dlerror, (void))();
}

/* The object that the caller is in, or NULL. */
static const struct link_map *map_of(uintptr_t caller)
{
    struct link_map *map = NULL;
    Dl_info info;

    return NEXT(int, dladdr1, (const void *, Dl_info *, void **, int))(
               (const void *)caller, &info, (void **)&map, RTLD_DL_LINKMAP)
               ? map
               : NULL;
}

/* Is the C library's function the first one behind the object that the caller is in? An object that
 * was opened later finds it among those that came before. */
static bool is_next_of(uintptr_t caller, const struct search *s, const void *theirs)
{
    const struct link_map *map = map_of(caller);

    if (!map)
        return false;
    const void *first = lc_definition_behind(map, s->name);
    return (!first || first == theirs) && (!s->version || symbol_is_defined(s, RTLD_NEXT));
}

/* Where the C library's own dlerror would be found: one that tells no name of ours. Else NULL. */
static void *our_dlerror(const struct search *s, uintptr_t caller)
{
    if (s->handle == RTLD_DEFAULT || !s->name || !lc_bytes_same(s->name, "dlerror"))
        return NULL;
    const void *theirs = lc_definition_of_libc(s->name);
    bool is_theirs = theirs && (s->handle == RTLD_NEXT ? is_next_of(caller, s, theirs)
                                                       : symbol_find(s, s->handle) == theirs);
    return is_theirs ? (void *)lc_dlerror_of_libc : NULL;
}

/* Only a search that begins at the program, or at an object before us, comes to ours first. */
static bool finds_ours(const struct search *s, uintptr_t caller)
{
    if (s->handle == RTLD_DEFAULT || lc_is_program(s->handle))
        return true;
    const struct link_map *map = s->handle == RTLD_NEXT ? map_of(caller) : NULL;
    return map && lc_definition_behind(map, s->name) == lc_definition_of_ours(s->name);
}

/* The module at which the search begins, if it uses a dependency root; else NULL. */
static const struct lc_root_user *search_start(const struct search *s, uintptr_t caller)
{
    struct lc_root_user *table = loadcast_dlopen_notes.user;

    if (!table)
        return NULL;
    if (s->handle != RTLD_DEFAULT && s->handle != RTLD_NEXT)
        return lc_root_user_find(table, s->handle);
    for (uint32_t i = 0; i < LC_ROOT_USERS; i++)
        if (caller >= table[i].start && caller < table[i].end)
            return &table[i];
    return NULL;
}

/* Does the C library find it above the root? With RTLD_NEXT only the root follows a module. */
static bool is_found_above(const struct search *s, const struct lc_root_user *user)
{
    if (s->handle == RTLD_NEXT)
        return false;
    return (s->handle == RTLD_DEFAULT && symbol_is_defined(s, RTLD_DEFAULT)) ||
           symbol_is_defined(s, (void *)(uintptr_t)user->map);
}

struct lc_next_answer lc_dlsym_prepare(void *handle, const char *name, const char *version,
                                       uintptr_t caller)
{
    static void *plain, *versioned;
    struct search s = {handle, name, version};
    struct lc_next_answer a = {version ? lc_next_to_jump("dlvsym", &versioned, (void *)no_dlsym)
                                       : lc_next_to_jump("dlsym", &plain, (void *)no_dlsym),
                               NULL};

    if (name && lc_is_way_to_dlopen(name) && !finds_ours(&s, caller))
        __atomic_store_n(&loadcast_dlopen_notes.is_bypassed, 1, __ATOMIC_RELEASE);
    if (handle != RTLD_DEFAULT && handle != RTLD_NEXT) {
        a.result = lc_deferred_dlopen_symbol(lc_deferred_queue_of_process(), &loadcast_dlopen_notes,
                                             handle, version ? NULL : name);
        if (a.result)
            return (struct lc_next_answer){NULL, a.result};
    }
    a.result = our_dlerror(&s, caller);
    if (a.result)
        return (struct lc_next_answer){NULL, a.result};
    const struct lc_root_user *user = search_start(&s, caller);
    void *root = user ? (void *)(uintptr_t)user->root->map : NULL;

    if (!user || is_found_above(&s, user) || !symbol_is_defined(&s, root))
        return a;
    return (struct lc_next_answer){NULL, symbol_find(&s, root)};
}
