/* SPDX-License-Identifier: MIT */
/* pack.h - fill the tree of an image from the paths that a program was seen to use */
#ifndef LC_RECORD_PACK_H
#define LC_RECORD_PACK_H

#include <jansson.h>
#include <stddef.h>

#include "record/read_path.h"
#include "record/rules.h"
#include "record/seen.h"

struct lc_pack {
    struct lc_path_reader reader; /* reads into the tree of the image */
    struct lc_rules *rules;
    struct lc_seen *seen; /* interpreters of scripts are added */
    char *const *argv;    /* the pilot's command, for the directories of its scripts; may be NULL */
    json_t *provenance;   /* Python interpreters are added to it; borrowed */
    bool compile;         /* compile .pyc files that are missing */
    bool learns; /* what was seen are the misses of a job: entries that the tree holds stay as they
                    are, unless the job asked for more of them */
};

/* Number of paths on one mount: seen, and of these managed. */
struct lc_pack_mount {
    size_t seen, managed;
};

struct lc_packed {
    /* Numbers of paths: */
    size_t seen, managed;
    uint64_t calls;                /* of the program that named managed paths */
    size_t written;                /* left out: changed during the pilot */
    size_t too_large;              /* files larger than --max-file, whose content is left out */
    size_t compiled, not_compiled; /* .pyc files */
    struct lc_map mounts;          /* "TYPE on POINT" -> struct lc_pack_mount */
    struct lc_map credentials, personal; /* sets of paths that were left out */
};

/* Decide which of the paths seen belong into the image, and read them into pack->reader.tree. 0, or
 * -1 with err filled. */
int lc_pack_seen(struct lc_pack *pack, struct lc_packed *did, struct lc_error *err);
void lc_packed_free(struct lc_packed *did);

/* add_pattern.c: add the paths that a shell pattern of --add matches, directories with everything
 * below them. 0, or -1 with err filled if nothing matches. */
int lc_seen_add_pattern(struct lc_seen *seen, const char *pattern, struct lc_error *err);

#endif
