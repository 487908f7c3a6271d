/* SPDX-License-Identifier: MIT */
/* dlopen_calls.h - follow the program's dlopens from an auditor. Freestanding; called with ld.so's
 * lock held.
 *
 * ld.so tells an auditor when it begins and ends to add objects, but not with which flags dlopen
 * was called: those come from the notes that our preload writes (node/dlopen_notes.h). */
#ifndef LC_CLIENT_BINDINGS_DLOPEN_CALLS_H
#define LC_CLIENT_BINDINGS_DLOPEN_CALLS_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

#include "node/dlopen_notes.h"

struct lc_dlopen_calls {
    struct lc_dlopen_notes *notes; /* in the preload; NULL: it is not loaded */
    uint64_t name;    /* XXH64 of the name that ld.so searched for last outside of a call */
    bool is_internal; /* that name is of a library which glibc opens for itself */
    bool is_new;      /* ld.so adds objects, and the first is not there yet */
    bool is_open;     /* ld.so is in a dlopen */
    bool is_deep;     /* with RTLD_DEEPBIND */
    bool is_bypassed; /* an object that was opened so may call the C library's dlopen past ours */
};

/* What is known of one call. */
struct lc_dlopen_call {
    bool is_known; /* 'flags' is valid; never for the program's start */
    uint32_t flags;
    uint32_t globals; /* as in struct lc_dlopen_notes */
    uint64_t globals_hash;
    struct lc_opening_call opening; /* zeros for calls that glibc makes for itself */
};

/* An object is loaded. If it is our preload, its notes are used from now on. */
void lc_dlopen_calls_find_notes(struct lc_dlopen_calls *d, const struct link_map *map);

/* ld.so searches for a name with the XXH64 'hash'. Outside of a call it is what dlopen was given.
 */
void lc_dlopen_calls_searched(struct lc_dlopen_calls *d, const char *name, uint64_t hash,
                              bool is_started);

/* ld.so begins to add objects (LA_ACT_ADD). */
void lc_dlopen_calls_add(struct lc_dlopen_calls *d);

/* It has added them, or has given up (LA_ACT_CONSISTENT, LA_ACT_DELETE). */
void lc_dlopen_calls_end(struct lc_dlopen_calls *d);

/* The first object of a call is loaded: what is known of the call. */
struct lc_dlopen_call lc_dlopen_calls_begin(struct lc_dlopen_calls *d);

/* An object of the call is loaded; the first one after lc_dlopen_calls_begin(). */
void lc_dlopen_calls_loaded(struct lc_dlopen_calls *d, const struct link_map *map);

/* Is it the C library, ld.so or the vDSO? Their relocations are never replaced. */
bool lc_is_c_library(const struct link_map *map);

#endif
