/* SPDX-License-Identifier: MIT */
/* bind_process.h - one process of the pilot, rebuilt from the log of the bindings recorder */
#ifndef LC_RECORD_BIND_PROCESS_H
#define LC_RECORD_BIND_PROCESS_H

#include <stdbool.h>

#include "image/bindings_build.h"
#include "node/bindings_log.h"
#include "record/bind_elf.h"

/* A loaded object (program or library). Objects are kept in the order in which they were opened;
 * the log numbers them from 1. */
struct lc_loaded {
    struct lc_bind_opened told;    /* as logged */
    const char *path;              /* the file that was loaded */
    const char *asked;             /* the name by which it was requested */
    const struct lc_bind_elf *elf; /* NULL: the file on disk is not the one that was loaded */
    uint32_t object;               /* its number in the bindings section */
    const uint64_t *value; /* values of its slots after relocation; NULL: not relocated (yet) */
    uint32_t values;
    uint32_t group;  /* number of the group that loaded it; 0: program start */
    uint32_t stamp;  /* number of the last closure that contained it */
    uint32_t scope;  /* last group whose root's closure contained it */
    uint32_t anchor; /* index + 1 of the last object that leaves a relocation to ld.so for it
                        (bind_plan.c) */
    uint32_t plan;   /* number of its plan; LC_NONE: none */
    uint32_t flags;  /* flags of the dlopen() that loaded it */
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
    size_t first;   /* index of the current group's first object */
    bool is_mapped; /* all objects of the current group are mapped */
    bool is_open;   /* there is a current group: its dlopen() has not ended */
    bool is_started;
    bool is_child;      /* made by fork: objects relocated before are in the parent's log */
    bool is_stopped;    /* groups from here on cannot be replayed */
    bool is_unresolved; /* an object failed to load for lack of a symbol; bound lazily it
                           might not have failed, so the pilot did not run as usual */
    struct lc_bind_scope_item *global; /* the global scope, in order */
    uint32_t globals;
    uint64_t calls;  /* dlopen() calls with RTLD_GLOBAL so far */
    size_t suspects; /* objects with a lower index may have become global unnoticed */
};

/* Process one log. False if it is malformed, or memory ran out (build->failed). */
bool lc_process_read(struct lc_process *p, const void *log, size_t len);
void lc_process_free(struct lc_process *p);

/* The index of the live object with this name; SIZE_MAX if none. */
size_t lc_process_by_name(struct lc_process *p, const char *name);

/* The root and all its dependencies, breadth first as ld.so lists them: *count indices, freed by
 * the caller. NULL if a name cannot be resolved or memory ran out. */
size_t *lc_process_closure(struct lc_process *p, size_t root, size_t *count);

/* Were all objects of the current group relocated? */
bool lc_process_is_whole(const struct lc_process *p);
/* The program start is complete: all objects so far form one group. */
void lc_process_finish_start(struct lc_process *p);
/* A dlopen() has ended: add the objects that it loaded to the build as a group. */
void lc_process_finish_group(struct lc_process *p);
void lc_process_remove_global(struct lc_process *p, size_t item);

/* These objects become global now: drop the plans of objects whose lazy calls could bind to them.
 */
void lc_process_drop_lazy(struct lc_process *p, const size_t *list, size_t count);

/* All objects of the current group are known: flag those whose DT_NEEDED entries can, or cannot, be
 * hidden from ld.so without changing the order of initialisation. */
void lc_process_check_init_order(struct lc_process *p);

/* A later group depends on these objects: their DT_NEEDED entries must not be hidden. */
void lc_process_keep_needed(struct lc_process *p, const size_t *list, size_t count);

/* Make an object's plan from its slot values. The plan's number in the build, or LC_NONE. */
uint32_t lc_process_plan(struct lc_process *p, size_t item);

#endif
