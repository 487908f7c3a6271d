/* SPDX-License-Identifier: MIT */
/* resolve.h - resolve the paths that were seen: where do their symbolic links lead now? */
#ifndef LC_RECORD_RESOLVE_H
#define LC_RECORD_RESOLVE_H

#include "record/read_path.h"
#include "record/rules.h"
#include "record/seen.h"

/* A path as the program named it, and the path without links behind it. */
struct lc_resolved {
    const char *given; /* belongs to 'seen' */
    char *path;        /* owned */
    unsigned given_uses;
    uint8_t kind; /* enum lc_kind; 0: special file, or cannot be queried */
};

struct lc_resolution {
    struct lc_resolved *item;
    size_t count;
    struct lc_map uses;     /* path without links -> struct lc_seen_path: all uses under any name */
    struct lc_map packages; /* directories in which __init__.py was found */
    struct lc_map links;    /* symbolic links that were passed, by their own paths */
    struct lc_ahead_paths asked; /* for reading the same paths once more */
};

/* Resolve all paths that were seen, except below system directories. 0, or -1 with ENOMEM. */
int lc_resolve(struct lc_resolution *out, const struct lc_seen *seen, const struct lc_rules *rules);
void lc_resolution_free(struct lc_resolution *r);

/* If 'path' is the __init__ of a Python package, add its directory to the set. 0, or -1 with
 * ENOMEM. */
int lc_package_note(struct lc_map *packages, const char *path);

/* All uses of a path without links, as bits of enum lc_use. */
unsigned lc_resolution_uses(const struct lc_resolution *r, const char *path);

#endif
