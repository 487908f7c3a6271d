/* SPDX-License-Identifier: MIT */
/* dlopen_notes.h - what the preload knows of dlopen's calls and an auditor does not, their flags;
 * and what the auditor hid and the preload may have to mend, and what it mapped and the preload may
 * share.
 *
 * The preload exports one structure; an auditor finds it by name in the preload's symbol table.
 * Freestanding. */
#ifndef LC_NODE_DLOPEN_NOTES_H
#define LC_NODE_DLOPEN_NOTES_H

#include <link.h>
#include <stddef.h>
#include <stdint.h>

#define LC_NOTES_SYMBOL "loadcast_dlopen_notes"

enum { LC_NOTES = 64, LC_NOTES_VERSION = 6 };

/* A dlopen under way, by the thread that called it. */
struct lc_note {
    uint64_t thread; /* 0: free */
    uint64_t name;   /* XXH64 of the file name */
    uint64_t flags;
    uintptr_t slot, caller; /* where its return address stands, and what it is */
    uint64_t sum;           /* of all of it: two threads may write into one place at once */
};

static inline uint64_t lc_note_sum(const struct lc_note *n)
{
    const uint64_t part[] = {n->thread, n->name, n->flags, n->slot, n->caller};
    uint64_t sum = 0;

    for (unsigned i = 0; i < sizeof(part) / sizeof(*part); i++)
        sum = (sum ^ part[i] ^ sum >> 29) * 0x9e3779b97f4a7c15u;
    return sum;
}

/* The dlopen that brought a group. */
struct lc_bringer {
    uint64_t thread; /* and the rest as struct lc_note */
    uintptr_t slot, caller;
    uint32_t has_returned; /* it is known to have */
};

/* An object some of whose DT_NEEDED ld.so did not see; the group's root brought it. */
struct lc_pruned {
    const struct link_map *map; /* NULL: it is gone */
    const struct link_map *root;
    struct lc_bringer *by; /* of a group from which one may be opened unseen by ld.so, or NULL */
    uint64_t name;         /* XXH64 of its path */
    /* By the preload: */
    uint32_t is_whole; /* it has been mended */
    uint32_t owed;     /* dlopens ld.so has not been told of; see client/preload/owed.h */
    uint32_t is_queued, is_shut;
};

enum { LC_HUBS = 16, LC_LEANERS = 2048, LC_MODEL_PATH = 1024 };

#define LC_HUB_PREFIX "/proc/self/./fd/"
#define LC_HUB_NAME   "loadcast-hub-"

/* An object that needs what many need; see client/bindings/hub.h. */
struct lc_hub {
    const struct link_map *model; /* one is wanted that needs what this needs; else NULL */
    const struct link_map *map;   /* it is there */
    void *handle;                 /* by which the preload holds it, or NULL */
    char name[24];                /* DT_SONAME */
    uint64_t thread;              /* of the dlopen that brought the model; and as struct lc_note */
    uintptr_t slot, caller;
    uint32_t has_failed;      /* it could not be opened, and will not be tried again */
    uint32_t is_busy;         /* a thread is making it: there is no other model until then */
    char path[LC_MODEL_PATH]; /* the model's: it may be closed before it is read */
};

/* A module that needs only the hub, as far as ld.so knows. */
struct lc_leaner {
    const struct link_map *map; /* NULL: free */
    const struct lc_hub *hub;
    uintptr_t start, end;
};

#define LC_LEANER_GONE ((const struct link_map *)1)

struct lc_node;

struct lc_notes {
    uint32_t version;
    uint32_t globals;      /* calls with RTLD_GLOBAL so far */
    uint64_t globals_hash; /* over their names, in order */
    struct lc_note note[LC_NOTES];
    uint32_t is_hushed;           /* see lc_client_hush */
    const char *const *directory; /* where ld.so searches for what the program needs; NULL: unknown;
                                     see client/preload/search_path.h */
    /* By the auditor: */
    const struct lc_node *node; /* the node directory as it mapped it */
    const char *answer, *asked; /* its last answer to ld.so, and the path that was asked for */
    struct lc_pruned *pruned;
    uint32_t pruneds;
    uint32_t is_relied_on; /* something loaded later needs one of them */
    struct lc_hub *hub;
    struct lc_leaner *leaner; /* LC_LEANERS of them, by hash; NULL: none yet */
    uint32_t hubs;
};

static inline struct lc_note *lc_note_of(struct lc_notes *notes, uint64_t thread)
{
    return &notes->note[(thread * 0x9e3779b97f4a7c15u) >> 58];
}

/* A module's place: its own, or a free one. The table is never more than half full. */
static inline struct lc_leaner *lc_leaner_of(struct lc_leaner *all, const void *map)
{
    uint32_t at = (uint32_t)(((uintptr_t)map >> 4) * 0x9e3779b97f4a7c15u >> 53);

    while (all[at].map && all[at].map != map)
        at = (at + 1) % LC_LEANERS;
    return &all[at];
}

static inline const struct lc_leaner *lc_leaner_find(struct lc_leaner *all, const void *map)
{
    const struct lc_leaner *l = lc_leaner_of(all, map);

    return l->map ? l : NULL;
}

#endif
