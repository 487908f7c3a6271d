/* SPDX-License-Identifier: MIT */
/* bindings_build.h - bindings of several processes, ranks and images become one section */
#ifndef LC_IMAGE_BINDINGS_BUILD_H
#define LC_IMAGE_BINDINGS_BUILD_H

#include <stddef.h>

#include "image/bindings.h"
#include "util/buf.h"
#include "util/map.h"

struct lc_bind_build {
    struct lc_bind_object *object;
    struct lc_map *names; /* per object: path first, then other names */
    size_t objects;
    struct lc_map by_content; /* hex -> index + 1 */
    struct lc_buf groups;     /* struct lc_bind_group */
    struct lc_buf members;    /* struct lc_bind_member */
    struct lc_buf plans;      /* struct lc_bind_plan */
    struct lc_buf words;
    struct lc_map by_plan; /* hash of object and words -> index + 1 */
    int failed;            /* memory ran out */
};

void lc_bind_build_free(struct lc_bind_build *b);

/* The object's index, added if new; 'o' without name, identity and name_set. LC_NONE if memory ran
 * out.
 */
uint32_t lc_bind_build_object(struct lc_bind_build *b, const struct lc_bind_object *o,
                              const char *path);
void lc_bind_build_name(struct lc_bind_build *b, uint32_t object, const char *name);

/* Others need the object by this name, which is not its DT_SONAME. */
void lc_bind_build_alias(struct lc_bind_build *b, uint32_t object, uint64_t alias);

/* The plan's index; an equal one is there once. 'words' as struct lc_bind_plan says. */
uint32_t lc_bind_build_plan(struct lc_bind_build *b, const struct lc_bind_plan *plan,
                            const uint32_t *words);

/* No plan for this object, now or later: it may bind lazily to something else. */
void lc_bind_build_drop(struct lc_bind_build *b, uint32_t object);

/* Add a group, or what it knows more than one of the same root, scope and members. */
void lc_bind_build_group(struct lc_bind_build *b, const struct lc_bind_group *g,
                         const struct lc_bind_member *member);

/* Add everything in a section that was verified. */
void lc_bind_build_load(struct lc_bind_build *b, const struct lc_bindings *from);

/* The section's bytes; empty if there is nothing to replay. 0, or -1 with ENOMEM or EFBIG. */
int lc_bind_build_finish(struct lc_bind_build *b, struct lc_buf *out);

#endif
