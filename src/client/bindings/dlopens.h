/* SPDX-License-Identifier: MIT */
/* dlopens.h - an auditor's view of one dlopen after the other, with the flags the preload noted.
 * Freestanding; called with ld.so's lock held. */
#ifndef LC_CLIENT_BINDINGS_DLOPENS_H
#define LC_CLIENT_BINDINGS_DLOPENS_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

#include "node/dlopen_notes.h"

struct lc_dlopens {
    struct lc_notes *notes; /* in the preload; NULL: it is not there */
    uint64_t name;          /* XXH64 of what was asked for last outside of a call */
    bool is_internal;       /* that is one of the libraries that the C library opens by itself */
    bool is_new;            /* objects are being added, and the first has not come */
    bool is_open;           /* a call is under way */
};

struct lc_dlopen {
    bool is_known; /* the flags are */
    uint32_t flags;
    uint32_t globals; /* as in notes.h */
    uint64_t globals_hash;
    uint64_t thread; /* as struct lc_note; 0: not known */
    uintptr_t slot, caller;
};

/* Is this object the preload? Then its notes are used from now on. */
void lc_dlopens_find(struct lc_dlopens *d, const struct link_map *map);

/* ld.so looks for a name, whose XXH64 is 'hash': the root's, if no call is under way. */
void lc_dlopens_asked(struct lc_dlopens *d, const char *name, uint64_t hash, bool is_started);

/* ld.so begins to add objects (LA_ACT_ADD). */
void lc_dlopens_add(struct lc_dlopens *d);

/* It has added them, or given up (LA_ACT_CONSISTENT, LA_ACT_DELETE). */
void lc_dlopens_end(struct lc_dlopens *d);

/* The first object of a call is there: what is known of the call. */
struct lc_dlopen lc_dlopens_begin(struct lc_dlopens *d);

/* The C library itself is left alone. */
bool lc_dlopens_is_libc(const struct link_map *map);

#endif
