/* SPDX-License-Identifier: MIT */
/* apply.h - write a group's bindings into its objects. Freestanding. */
#ifndef LC_CLIENT_BINDINGS_APPLY_H
#define LC_CLIENT_BINDINGS_APPLY_H

#include "client/bindings/table.h"
#include "image/bindings.h"

/* A new object of the group under way; its index is its thunk. */
struct lc_pending {
    struct lc_bound bound;
    struct lc_edit edit;
    struct lc_bind_parts parts;
    const struct lc_bind_plan *plan; /* NULL: left to ld.so */
    const struct link_map *map;
    uintptr_t cookie;
    uint64_t asked;  /* XXH64 of the name ld.so looked for */
    uint32_t object; /* LC_NONE: unknown */
    bool leans;      /* on a hub, in place of: */
    ElfW(Xword) was_needed;
    bool is_straight; /* as in straight.h */
    bool is_pruned;   /* names are hidden, until it has been relocated */
};

struct lc_apply {
    struct lc_bindings b;
    uint64_t *base; /* per object: its base + 1 if it is loaded, else 0 */
    struct lc_pending *pending;
    uint32_t pendings;
    bool is_verifying; /* let ld.so look up everything as well, and compare */
    ElfW(Rela) * rows; /* the tables of the group that was written last */
    size_t rows_len;
    uint64_t written; /* bindings */
    uint64_t compared, different;
    const char *first_different; /* path of the object, for people */
};

/* Is every plan of the pending objects good to be written? NULL, or why not. */
const char *lc_apply_validate(struct lc_apply *a);

/* Write them, and give ld.so what is left. NULL, or why not: then nothing was touched. */
const char *lc_apply_write(struct lc_apply *a);

/* ld.so has worked off a pending object: its tags are put back; verifying, its slots compared. */
void lc_apply_worked_off(struct lc_apply *a, uint32_t pending);

/* No table of the last group is in use any more. */
void lc_apply_forget(struct lc_apply *a);

#endif
