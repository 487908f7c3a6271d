/* SPDX-License-Identifier: MIT */
/* bindings_build.h - merge bindings of several processes, ranks and images into one section */
#ifndef LC_IMAGE_BINDINGS_BUILD_H
#define LC_IMAGE_BINDINGS_BUILD_H

#include <stddef.h>

#include "image/bindings.h"
#include "util/buf.h"
#include "util/map.h"

struct lc_bind_build {
    struct lc_bind_object *object;
    struct lc_map *names; /* per object: its path, then other names */
    size_t objects;
    struct lc_map by_content; /* content hash in hexadecimal -> index + 1 */
    struct lc_buf groups;     /* struct lc_bind_group */
    struct lc_buf members;    /* struct lc_bind_member */
    struct lc_buf plans;      /* struct lc_bind_plan */
    struct lc_buf words;
    struct lc_map by_plan; /* hash of object and words -> index + 1 */
    uint32_t system;       /* lc_bindings_system() of what is added */
    int failed;            /* memory ran out */
};

void lc_bind_build_free(struct lc_bind_build *b);

/* Index of an object, added if new; name, identity and name_set of 'o' are not used. LC_NONE if
 * memory ran out. */
uint32_t lc_bind_build_object(struct lc_bind_build *b, const struct lc_bind_object *o,
                              const char *path);
void lc_bind_build_name(struct lc_bind_build *b, uint32_t object, const char *name);

/* Record that other objects need this one by a name that is not its DT_SONAME ('alias': hash of the
 * name). */
void lc_bind_build_alias(struct lc_bind_build *b, uint32_t object, uint64_t alias);

/* Index of a plan; equal plans are stored once. 'words' as described at struct lc_bind_plan. */
uint32_t lc_bind_build_plan(struct lc_bind_build *b, const struct lc_bind_plan *plan,
                            const uint32_t *words);

/* Use no plan for this object, now or later: it binds lazily, and a later object may change the
 * result. */
void lc_bind_build_drop_plans(struct lc_bind_build *b, uint32_t object);

/* Add a group. If one with the same root, scope and members exists, only its missing plans are
 * added. */
void lc_bind_build_group(struct lc_bind_build *b, const struct lc_bind_group *g,
                         const struct lc_bind_member *member);

/* Add everything in a section that passed lc_bindings_verify, unless it is for another system than
 * what was added before. */
void lc_bind_build_load(struct lc_bind_build *b, const struct lc_bindings *from);

/* The section's bytes; empty if there is nothing to replay. 0, or -1 with ENOMEM or EFBIG. */
int lc_bind_build_finish(struct lc_bind_build *b, struct lc_buf *out);

#endif
