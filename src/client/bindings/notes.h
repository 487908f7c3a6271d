/* SPDX-License-Identifier: MIT */
/* notes.h - what the preload knows of dlopen's calls and an auditor does not: their flags.
 *
 * The preload exports one structure; an auditor finds it by name in the preload's symbol table.
 * Freestanding. */
#ifndef LC_CLIENT_BINDINGS_NOTES_H
#define LC_CLIENT_BINDINGS_NOTES_H

#include <stdint.h>

#define LC_NOTES_SYMBOL "loadcast_dlopen_notes"

enum { LC_NOTES = 64, LC_NOTES_VERSION = 1 };

/* A dlopen under way, by the thread that called it. */
struct lc_note {
    uint64_t thread; /* 0: free */
    uint64_t name;   /* XXH64 of the file name */
    uint64_t flags;
};

struct lc_notes {
    uint32_t version;
    uint32_t globals;      /* calls with RTLD_GLOBAL so far */
    uint64_t globals_hash; /* over their names, in order */
    struct lc_note note[LC_NOTES];
};

static inline struct lc_note *lc_note_of(struct lc_notes *notes, uint64_t thread)
{
    return &notes->note[(thread * 0x9e3779b97f4a7c15u) >> 58];
}

#endif
