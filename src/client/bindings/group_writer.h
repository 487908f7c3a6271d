/* SPDX-License-Identifier: MIT */
/* group_writer.h - the group of objects that ld.so is loading, and writing the recorded bindings
 * into them. Freestanding.
 *
 * A group is what the program's start or one dlopen loads. For each of its new objects that has a
 * plan, the recorded symbol addresses are written into the object's relocation slots, and ld.so
 * gets a short relocation table with what is left to it. */
#ifndef LC_CLIENT_BINDINGS_GROUP_WRITER_H
#define LC_CLIENT_BINDINGS_GROUP_WRITER_H

#include "client/bindings/dlopen_calls.h"
#include "client/bindings/relocation_table.h"
#include "image/bindings.h"

/* An object that the group loads. Its index in the group is also the number of its thunk. */
struct lc_new_object {
    struct lc_elf_object elf;
    struct lc_saved_tags saved_tags; /* of .dynamic, while ld.so sees our relocation table */
    struct lc_bind_parts parts;      /* of the plan */
    const struct lc_bind_plan *plan; /* NULL: ld.so binds its symbols */
    const struct link_map *map;
    uintptr_t cookie;
    uint64_t asked_name;    /* XXH64 of the name that ld.so searched for */
    uint32_t object;        /* its number among the recorded objects; LC_NONE: it is none of them */
    bool uses_root;         /* its first DT_NEEDED names a dependency root, in place of: */
    ElfW(Xword) own_needed; /* the original value of that entry */
    bool has_fixed_order;   /* as in load_order.h */
    bool has_hidden_needed; /* DT_NEEDED entries are hidden until it is relocated */
};

struct lc_group_writer {
    const struct lc_bindings *recorded;
    const uint64_t *base;         /* per recorded object: its address + 1 if loaded, else 0 */
    uint8_t *is_fully_bound;      /* per recorded object: it will not look up any further symbol */
    struct lc_new_object *object; /* the new objects of the group, in the order ld.so loaded them */
    uint32_t objects;
    const struct lc_bind_group *group; /* the recorded group, once all objects are there */
    struct lc_dlopen_call call;        /* the dlopen; not known for the program's start */
    uint64_t hwcap, hwcap2;            /* what resolvers of IFUNCs are told of the processor */
    bool is_verifying; /* let ld.so look up every symbol as well, and compare the results */
    ElfW(Rela) * rows; /* the relocation tables that ld.so was given for this group */
    size_t rows_len;   /* bytes mapped */
    uint64_t written;  /* bindings, in all groups so far */
    uint64_t compared, different;
    const char *first_different; /* path of the object, for a message */
};

/* Can every plan of the new objects be written safely? NULL, or why not. */
const char *lc_group_writer_validate(struct lc_group_writer *w);

/* Write the plans and install ld.so's new relocation tables. NULL, or why not: then nothing has
 * been changed. */
const char *lc_group_writer_write(struct lc_group_writer *w);

/* ld.so has relocated new object 'i': restore its .dynamic and, when verifying, compare. */
void lc_group_writer_relocated(struct lc_group_writer *w, uint32_t i);

/* Note which of the new objects are fully bound: they have a plan and do not import dlsym. With the
 * program's start all of them are, because ld.so adds no dependencies for those. */
void lc_group_writer_note_bound(struct lc_group_writer *w, bool is_start);

/* Were the group's objects that had been loaded before it all fully bound? A newly loaded module
 * makes its symbols visible to the objects it needs, and ld.so adds a dependency for what it finds
 * there: only if nothing is looked up later, these dependencies are all known. */
bool lc_group_writer_others_are_bound(const struct lc_group_writer *w);

/* Unmap the relocation tables: ld.so has processed them. */
void lc_group_writer_free_rows(struct lc_group_writer *w);

#endif
