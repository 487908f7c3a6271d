/* SPDX-License-Identifier: MIT */
/* bindings.h - read the bindings section in place, from a mapping. Freestanding.
 *
 * lc_bindings_open checks the bounds of every table; code that follows an index checks that index,
 * as in all of the look-up half. lc_bindings_verify is the complete check. */
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

/* The kind of system that bindings are valid on: its machine (e_machine) and its page size, of
 * which ld.so's placing of objects depends. 0: x86-64 with pages of 4 KiB, the only one at first.
 */
static inline uint32_t lc_bindings_system(uint32_t machine, uint64_t page_bytes)
{
    enum { FIRST_MACHINE = 62, FIRST_PAGE = 4096 };
    uint32_t shift = 0;

    if (machine == FIRST_MACHINE && page_bytes == FIRST_PAGE)
        return 0;
    while (page_bytes >>= 1)
        shift++;
    return machine << 8 | shift;
}

/* Number of words of a plan. */
static inline uint64_t lc_bindings_plan_words(const struct lc_bind_plan *p)
{
    return 2ull * p->runs + 2ull * p->bindings + p->leftovers + 3ull * p->ifuncs;
}

/* The parts of a plan: pointers into the section's words. */
struct lc_bind_parts {
    const uint32_t *run, *binding, *leftover, *ifunc;
};

/* Are the bytes a bindings section of this version? Sections of other versions are ignored. */
bool lc_bindings_is_known(const void *bytes, uint64_t len);

/* Open a section; 'bytes' must be aligned to 8. False if they are not a valid section. */
bool lc_bindings_open(struct lc_bindings *b, const void *bytes, uint64_t len);

/* Find an object by its content (a file of the image), or by its build-id and .dynamic (any other
 * file). LC_NONE if there is none. */
uint32_t lc_bindings_by_content(const struct lc_bindings *b, const uint64_t content[2],
                                uint64_t dynamic, uint64_t build);
uint32_t lc_bindings_by_build(const struct lc_bindings *b, uint64_t dynamic, uint64_t build);

/* May some of the object's DT_NEEDED names be hidden from ld.so? */
static inline bool lc_bindings_may_prune(const struct lc_bind_object *o)
{
    return (o->flags & (LC_BIND_SORTED | LC_BIND_KEEPS_NEEDED)) == LC_BIND_SORTED;
}

/* Hash keys that choose an object's two slots, and its identity. */
uint64_t lc_bindings_content_key(const uint64_t content[2]);
uint64_t lc_bindings_build_key(uint64_t dynamic, uint64_t build);
uint64_t lc_bindings_identity(const struct lc_bind_object *o);

/* Index of the first group with this root, LC_NONE if none; its other groups follow directly. */
uint32_t lc_bindings_first_group(const struct lc_bindings *b, uint32_t root);

/* An object's path when it was recorded; "" if the index is out of bounds. */
const char *lc_bindings_name(const struct lc_bindings *b, uint32_t object);

/* False if the group's members or the plan's words do not lie inside the section. */
bool lc_bindings_has_members(const struct lc_bindings *b, const struct lc_bind_group *g);
bool lc_bindings_plan_parts(const struct lc_bindings *b, const struct lc_bind_plan *p,
                            struct lc_bind_parts *out);

/* Compute the seals (bindings_seal.c). lc_bindings_has_members must hold for the group; 'w' are the
 * plan's parts. */
uint64_t lc_bindings_object_seal(const struct lc_bind_object *o);
uint64_t lc_bindings_plan_seal(const struct lc_bindings *b, const struct lc_bind_plan *p,
                               const struct lc_bind_parts *w);
uint64_t lc_bindings_group_seal(const struct lc_bindings *b, const struct lc_bind_group *g);

/* Set the seals of all objects, plans and groups of a section that was just written or changed. */
void lc_bindings_seal(void *section, uint64_t len);

/* One item of the global scope: an object, or RTLD_GLOBAL calls that brought no object. */
struct lc_bind_scope_item {
    uint64_t identity; /* the object's identity, or a hash of what is known of the calls */
    uint64_t object;   /* a number that the caller chooses; UINT64_MAX for calls */
};

/* The hash of a global scope; never 0 unless the list is empty. */
uint64_t lc_bindings_scope_hash(const struct lc_bind_scope_item *item, uint32_t count);
/* One step of a hash over several numbers; the first call gets 0. */
uint64_t lc_bindings_mix(uint64_t hash, uint64_t more);

/* Texts for users: why an object is left to ld.so, and why none of its DT_NEEDED names is hidden
 * (NULL if they may be). */
const char *lc_bindings_reason(uint32_t reason);
const char *lc_bindings_keep_reason(const struct lc_bind_object *o);

/* Check every index and count. NULL, or what is wrong (a static text). */
const char *lc_bindings_verify(const struct lc_bindings *b);

#endif
