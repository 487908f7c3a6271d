/* SPDX-License-Identifier: MIT */
/* resolve.h - where the paths that were seen lead today */
#ifndef LC_RECORD_RESOLVE_H
#define LC_RECORD_RESOLVE_H

#include "record/read_path.h"
#include "record/seen.h"

/* A path as the program named it, and the path without links behind it. */
struct lc_resolved {
    const char *given; /* belongs to 'seen' */
    char *path;        /* owned */
    unsigned given_uses;
    uint8_t kind; /* enum lc_kind; 0: special file, or cannot be asked */
};

struct lc_resolution {
    struct lc_resolved *item;
    size_t count;
    struct lc_map uses;     /* path without links -> struct lc_seen_path: all uses under any name */
    struct lc_map packages; /* directories in which __init__.py was found */
    struct lc_map links;    /* that lie on the way; by their own paths */
};

/* Ask the file system about everything that was seen but system directories. 0, or -1 (ENOMEM). */
int lc_resolve(struct lc_resolution *out, const struct lc_seen *seen, struct lc_mounts *mounts);
void lc_resolution_free(struct lc_resolution *r);

unsigned lc_resolution_uses(const struct lc_resolution *r, const char *path);

#endif
