/* SPDX-License-Identifier: MIT */
/* dlopen_notes.h - data that our preload library and our auditor share in one process.
 *
 * An auditor does not see the flags of a dlopen. So the preload's dlopen writes a note of each call
 * before it jumps to the C library's dlopen, and the auditor reads it. In the other direction the
 * auditor lists the objects whose DT_NEEDED entries it hid from ld.so and the dependency roots it
 * uses; the preload's dlopen, dlsym and dlclose need both. The preload exports one such structure,
 * which the auditor finds by its name in the preload's symbol table. Freestanding. */
#ifndef LC_NODE_DLOPEN_NOTES_H
#define LC_NODE_DLOPEN_NOTES_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/bytes.h"

#define LC_DLOPEN_NOTES_SYMBOL "loadcast_dlopen_notes"

enum { LC_DLOPEN_NOTES = 64, LC_DLOPEN_NOTES_VERSION = 8 };

/* A call of dlopen by the program, by which one can tell later whether it has returned. */
struct lc_opening_call {
    uint64_t thread;          /* lc_arch_thread() of the caller; 0: not known */
    uintptr_t return_slot;    /* where on the stack the return address is; 0: not known */
    uintptr_t return_address; /* what was there during the call */
};

/* The dlopen that a thread is in. */
struct lc_dlopen_note {
    struct lc_opening_call call; /* call.thread is 0 if the note is not in use */
    uint64_t name;               /* XXH64 of the file name */
    uint64_t flags;
    uint64_t sum; /* over all of the above: two threads may write to the same note at once */
};

static inline uint64_t lc_dlopen_note_sum(const struct lc_dlopen_note *n)
{
    const uint64_t part[] = {n->call.thread, n->name, n->flags, n->call.return_slot,
                             n->call.return_address};
    uint64_t sum = 0;

    for (unsigned i = 0; i < sizeof(part) / sizeof(*part); i++)
        sum = (sum ^ part[i] ^ sum >> 29) * 0x9e3779b97f4a7c15u;
    return sum;
}

/* The dlopen that loaded a group of objects. */
struct lc_group_opening {
    struct lc_opening_call call;
    uint32_t has_returned; /* set by the preload once it has seen that */
};

/* An object some of whose DT_NEEDED entries were hidden while ld.so read them, so that ld.so's list
 * of its dependencies is incomplete. See client/bindings/hide_needed.h. */
struct lc_partial_object {
    const struct link_map *map;       /* NULL: it has been unloaded */
    const struct link_map *root;      /* the object whose dlopen loaded it */
    struct lc_group_opening *opening; /* NULL: dlopens of this object must not be deferred */
    uint64_t path;                    /* XXH64 of its path */
    /* Written by the preload: */
    uint32_t is_complete;     /* ld.so has made the complete list since */
    uint32_t deferred;        /* dlopens that ld.so does not know of: preload/deferred_dlopen.h */
    uint32_t is_queued;       /* it is in the queue of deferred dlopens */
    uint32_t root_is_closing; /* no further dlopen of it may be deferred */
};

enum { LC_DEPENDENCY_ROOTS = 16, LC_ROOT_USERS = 2048, LC_MODEL_PATH_MAX = 1024 };

/* The preload opens a dependency root by this path and a descriptor's number. */
#define LC_ROOT_PATH_PREFIX "/proc/self/./fd/"
/* Its DT_SONAME, followed by a number. */
#define LC_ROOT_SONAME_PREFIX "loadcast-hub-"

/* An object without code or symbols that stands for a list of needed libraries which many modules
 * have in common: client/bindings/dependency_root.h. */
struct lc_dependency_root {
    const struct link_map *model;       /* the preload shall make a root with this module's needs */
    const struct link_map *map;         /* the root itself; NULL: it is not loaded */
    void *handle;                       /* the preload's own dlopen handle of the root, or NULL */
    char soname[24];                    /* DT_SONAME */
    struct lc_opening_call model_call;  /* the dlopen that loaded the model */
    uint32_t has_failed;                /* the root could not be opened: do not try again */
    uint32_t is_busy;                   /* a thread is opening it; the model must not change now */
    char model_path[LC_MODEL_PATH_MAX]; /* kept here because the model may be unloaded meanwhile */
};

/* A module that ld.so sees with a dependency root as its only DT_NEEDED. */
struct lc_root_user {
    const struct link_map *map; /* NULL: a free slot */
    const struct lc_dependency_root *root;
    uintptr_t start, end; /* of the module in memory */
};

/* In 'map': the module was unloaded. The slot stays taken, so that searches go on behind it. */
#define LC_ROOT_USER_GONE ((const struct link_map *)1)

struct lc_node;

struct lc_dlopen_notes {
    uint32_t version;
    uint32_t globals;      /* calls with RTLD_GLOBAL so far */
    uint64_t globals_hash; /* over their names, in order */
    uint32_t is_bypassed;  /* there may be calls whose notes are missing, and which are not counted:
                              the program was given a dlopen, or a dlsym, that is not ours */
    struct lc_dlopen_note note[LC_DLOPEN_NOTES];
    uint32_t is_hushed;           /* see lc_client_stop_syscalls */
    const char *const *directory; /* where ld.so searches for what the program needs; NULL: unknown;
                                     see client/preload/search_path.h */
    /* Written by the auditor: */
    const struct lc_node *node; /* the node directory as it mapped it */
    const char *answer, *asked; /* its last answer to ld.so, and the path that was asked for */
    struct lc_partial_object *partial;
    uint32_t partials;
    uint32_t completes_at_exit; /* an object loaded later depends on a partial one: complete all
                                   lists before the destructors run, which depend on them */
    struct lc_dependency_root *root;
    uint32_t roots;
    struct lc_root_user *user; /* a hash table of LC_ROOT_USERS slots; NULL: none yet */
};

/* May an object that calls the C library's function of this name open libraries without a note? */
static inline bool lc_is_way_to_dlopen(const char *name)
{
    return name[0] == 'd' && name[1] == 'l' &&
           (lc_bytes_same(name, "dlopen") || lc_bytes_same(name, "dlmopen") ||
            lc_bytes_same(name, "dlsym") || lc_bytes_same(name, "dlvsym"));
}

/* The note that a thread writes to. Threads may share one. */
static inline struct lc_dlopen_note *lc_dlopen_note_of(struct lc_dlopen_notes *notes,
                                                       uint64_t thread)
{
    return &notes->note[(thread * 0x9e3779b97f4a7c15u) >> 58];
}

/* The module's slot, or a free one if it has none. The table is never more than half full. */
static inline struct lc_root_user *lc_root_user_slot(struct lc_root_user *table, const void *map)
{
    uint32_t at = (uint32_t)(((uintptr_t)map >> 4) * 0x9e3779b97f4a7c15u >> 53);

    while (table[at].map && table[at].map != map)
        at = (at + 1) % LC_ROOT_USERS;
    return &table[at];
}

/* NULL if the module uses no dependency root. */
static inline const struct lc_root_user *lc_root_user_find(struct lc_root_user *table,
                                                           const void *map)
{
    const struct lc_root_user *user = lc_root_user_slot(table, map);

    return user->map ? user : NULL;
}

#endif
