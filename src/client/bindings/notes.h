/* SPDX-License-Identifier: MIT */
/* notes.h - what the preload knows of dlopen's calls and an auditor does not, their flags; and what
 * the auditor hid and the preload may have to mend.
 *
 * The preload exports one structure; an auditor finds it by name in the preload's symbol table.
 * Freestanding. */
#ifndef LC_CLIENT_BINDINGS_NOTES_H
#define LC_CLIENT_BINDINGS_NOTES_H

#include <link.h>
#include <stdint.h>

#define LC_NOTES_SYMBOL "loadcast_dlopen_notes"

enum { LC_NOTES = 64, LC_NOTES_VERSION = 2 };

/* A dlopen under way, by the thread that called it. */
struct lc_note {
    uint64_t thread; /* 0: free */
    uint64_t name;   /* XXH64 of the file name */
    uint64_t flags;
};

/* An object some of whose DT_NEEDED ld.so did not see; the group's root brought it. */
struct lc_pruned {
    const struct link_map *map; /* NULL: it has been mended, or is gone */
    const struct link_map *root;
};

struct lc_notes {
    uint32_t version;
    uint32_t globals;      /* calls with RTLD_GLOBAL so far */
    uint64_t globals_hash; /* over their names, in order */
    struct lc_note note[LC_NOTES];
    /* By the auditor: */
    struct lc_pruned *pruned;
    uint32_t pruneds;
    uint32_t is_relied_on; /* something loaded later needs one of them */
};

static inline struct lc_note *lc_note_of(struct lc_notes *notes, uint64_t thread)
{
    return &notes->note[(thread * 0x9e3779b97f4a7c15u) >> 58];
}

#endif
