/* SPDX-License-Identifier: MIT */
/* bind_process.h - one process of the pilot, as the recorder of bindings logged it */
#ifndef LC_RECORD_BIND_PROCESS_H
#define LC_RECORD_BIND_PROCESS_H

#include <stdbool.h>

#include "image/bindings_build.h"
#include "node/bindings_log.h"
#include "record/bind_elf.h"

/* An object of the process, in the order they were opened; number - 1 is its index. */
struct lc_loaded {
    struct lc_bind_opened told;
    const char *path, *asked;
    const struct lc_bind_elf *elf; /* NULL: its file is not what was loaded */
    uint32_t object;               /* in the build */
    const uint64_t *value;         /* what its slots held; NULL: not (yet) relocated */
    uint32_t values;
    uint32_t group;  /* which brought it; 0: the start */
    uint32_t stamp;  /* last closure it was found in */
    uint32_t scope;  /* last group whose root's closure it was in */
    uint32_t anchor; /* last object + 1 that has a relocation left by which ld.so sees it needed */
    uint32_t plan;   /* made for it in its group; LC_NONE: none */
    uint32_t flags;  /* dlopen's of its group */
    bool is_live, is_global;
};

struct lc_process {
    struct lc_bind_build *build;
    struct lc_map *files; /* path -> struct lc_bind_elf */
    struct lc_loaded *item;
    size_t items;
    struct lc_map by_name; /* live objects: name -> index + 1 */
    size_t *by_base;       /* live objects, by address */
    size_t bases;
    struct lc_map definers; /* name -> number of live objects that define it + 1 */
    uint32_t group, stamp;
    struct lc_bind_call call;
    size_t first;   /* object of the group under way */
    bool is_mapped; /* the group under way has all its objects */
    bool is_open;   /* a group is under way */
    bool is_started;
    bool is_child;      /* of fork: what was relocated before is told elsewhere */
    bool is_stopped;    /* nothing that follows can be replayed */
    bool is_unresolved; /* a lazy symbol has no definition: the pilot was not what it should be */
    struct lc_bind_scope_item *global; /* the global scope, in order */
    uint32_t globals;
    uint64_t calls;  /* with RTLD_GLOBAL so far */
    size_t suspects; /* objects before this one may have become global unseen */
};

/* Take in one log. False if it makes no sense, or memory ran out (build->failed). */
bool lc_process_read(struct lc_process *p, const void *log, size_t len);
void lc_process_free(struct lc_process *p);

/* The index of the live object that a name means; SIZE_MAX if none. */
size_t lc_process_by_name(struct lc_process *p, const char *name);

/* What ld.so would list for a root, breadth first: *count indices, to be freed. NULL if a name
 * cannot be resolved or memory ran out. */
size_t *lc_process_closure(struct lc_process *p, size_t root, size_t *count);

/* Were all objects of the group under way relocated? */
bool lc_process_is_whole(const struct lc_process *p);
/* Everything so far is one group: the program and what came with it. */
void lc_process_finish_start(struct lc_process *p);
/* A dlopen is over: what did it bring? */
void lc_process_finish_group(struct lc_process *p);
void lc_process_remove_global(struct lc_process *p, size_t item);

/* These objects become global now: whoever might call them lazily is left to ld.so. */
void lc_process_leave_lazy(struct lc_process *p, const size_t *list, size_t count);

/* The group under way has all its objects: of which may names in DT_NEEDED be hidden from ld.so? */
void lc_process_sort(struct lc_process *p);

/* These objects are needed by a group that came after them: theirs may not be hidden. */
void lc_process_keep(struct lc_process *p, const size_t *list, size_t count);

/* Judge an object's values: its plan in the build, or LC_NONE. */
uint32_t lc_process_plan(struct lc_process *p, size_t item);

#endif
