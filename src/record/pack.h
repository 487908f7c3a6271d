/* SPDX-License-Identifier: MIT */
/* pack.h - what was seen becomes a tree: judged, completed, compiled */
#ifndef LC_RECORD_PACK_H
#define LC_RECORD_PACK_H

#include <jansson.h>
#include <stddef.h>

#include "record/read_path.h"
#include "record/rules.h"
#include "record/seen.h"

struct lc_pack {
    struct lc_path_reader reader; /* into the tree of the image */
    struct lc_rules *rules;
    struct lc_seen *seen; /* interpreters of scripts are added */
    char *const
        *argv; /* the pilot's command: its scripts' directories are never complete; may be NULL */
    json_t *provenance; /* interpreters are added; borrowed */
    bool compile;       /* .pyc files that are missing */
};

/* Paths seen on one mount. */
struct lc_pack_mount {
    size_t seen, managed;
};

struct lc_packed {
    size_t seen, managed, written, too_large, compiled, not_compiled;
    struct lc_map mounts;                /* "TYPE on POINT" -> struct lc_pack_mount */
    struct lc_map credentials, personal; /* paths that were left to the file system */
};

/* Add to pack->reader.tree what belongs there. 0, or -1 with err filled. */
int lc_pack_seen(struct lc_pack *pack, struct lc_packed *did, struct lc_error *err);
void lc_packed_free(struct lc_packed *did);

/* Note a path or shell pattern that the user asked for, directories with all below them. -1 with
 * err filled if there is no such thing. */
int lc_seen_add_asked(struct lc_seen *seen, const char *pattern, struct lc_error *err);

#endif
