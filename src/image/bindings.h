/* SPDX-License-Identifier: MIT */
/* bindings.h - the bindings section, used straight from a mapping. Freestanding.
 *
 * lc_bindings_open checks the bounds of every table; who follows an index checks it, as everywhere
 * in the look-up half. lc_bindings_verify is the complete check. */
#ifndef LC_IMAGE_BINDINGS_H
#define LC_IMAGE_BINDINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "image/format.h"

struct lc_bindings {
    const struct lc_bind_head *head;
    const struct lc_bind_object *object;
    const struct lc_bind_group *group;
    const struct lc_bind_plan *plan;
    const struct lc_bind_member *member;
    const uint32_t *slot;
    const uint32_t *word;
    const char *names;
};

/* How many words a plan has. */
static inline uint64_t lc_bindings_words(const struct lc_bind_plan *p)
{
    return 2ull * p->runs + 2ull * p->bindings + p->leftovers + 3ull * p->ifuncs;
}

/* The parts of a plan. */
struct lc_bind_parts {
    const uint32_t *run, *binding, *leftover, *ifunc;
};

/* Are the bytes a section of this version? Those of another are no bindings at all. */
bool lc_bindings_is_known(const void *bytes, uint64_t len);

/* False if the bytes are no such section; they must be aligned to 8. */
bool lc_bindings_open(struct lc_bindings *b, const void *bytes, uint64_t len);

/* The object with this content (of a file from the image), or with this build-id and .dynamic (of
 * any other); LC_NONE if there is none. */
uint32_t lc_bindings_by_content(const struct lc_bindings *b, const uint64_t content[2],
                                uint64_t dynamic, uint64_t build);
uint32_t lc_bindings_by_build(const struct lc_bindings *b, uint64_t dynamic, uint64_t build);

/* May names it needs be hidden from ld.so? */
static inline bool lc_bindings_may_prune(const struct lc_bind_object *o)
{
    return (o->flags & (LC_BIND_SORTED | LC_BIND_KEEPS)) == LC_BIND_SORTED;
}

/* Where an object's two places in the slots begin. */
uint64_t lc_bindings_content_key(const uint64_t content[2]);
uint64_t lc_bindings_build_key(uint64_t dynamic, uint64_t build);
uint64_t lc_bindings_identity(const struct lc_bind_object *o);

/* The first group of a root, LC_NONE if none; the next ones follow as long as their root is it. */
uint32_t lc_bindings_groups_of(const struct lc_bindings *b, uint32_t root);

/* An object's path when it was recorded; "" if it lies outside. */
const char *lc_bindings_name(const struct lc_bindings *b, uint32_t object);

/* False if the group's members or the plan's words lie outside. */
bool lc_bindings_has_members(const struct lc_bindings *b, const struct lc_bind_group *g);
bool lc_bindings_parts(const struct lc_bindings *b, const struct lc_bind_plan *p,
                       struct lc_bind_parts *out);

/* What the seals must be: see bindings_seal.c. Of a group whose members lie inside, of a plan with
 * its parts. */
uint64_t lc_bindings_object_seal(const struct lc_bind_object *o);
uint64_t lc_bindings_plan_seal(const struct lc_bindings *b, const struct lc_bind_plan *p,
                               const struct lc_bind_parts *w);
uint64_t lc_bindings_group_seal(const struct lc_bindings *b, const struct lc_bind_group *g);

/* Seal all objects, plans and groups of a section as they are now: for who writes one. */
void lc_bindings_seal(void *section, uint64_t len);

/* One item of the global scope: an object, or RTLD_GLOBAL calls that brought no object. */
struct lc_bind_scope_item {
    uint64_t identity; /* the object's, or a hash of what is known of the calls */
    uint64_t object;   /* whatever the user of the list calls it; UINT64_MAX for calls */
};

/* The hash of a global scope: never 0 for a list that is not empty. */
uint64_t lc_bindings_scope(const struct lc_bind_scope_item *item, uint32_t count);
/* One step of a hash over several numbers; start with 0. */
uint64_t lc_bindings_mix(uint64_t hash, uint64_t more);

/* For people: why an object is left to ld.so; why it keeps the names it needs, NULL if it need not.
 */
const char *lc_bindings_reason(uint32_t reason);
const char *lc_bindings_kept(const struct lc_bind_object *o);

/* Every index and count. NULL, or what is wrong (a static text). */
const char *lc_bindings_verify(const struct lc_bindings *b);

#endif
