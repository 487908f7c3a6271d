/* SPDX-License-Identifier: MIT */
/* exec_plan.h - what is to be executed for a path, and in which environment
 *
 * This may run between vfork and exec, in the parent's memory, and on a stack of few kilobytes:
 * nothing may stay allocated, and little stack is used. File, arguments and environment of the new
 * program are written to memory that belongs to the caller's frame:
 *
 *     struct lc_exec_plan plan;
 *     int error = lc_exec_plan_make(&plan, path, argv, env);
 *     if (error)
 *         ...
 *     lc_exec_plan_write(&plan, LC_EXEC_PLAN_SPACE(&plan));
 *     ...
 *     lc_exec_plan_end(&plan);
 */
#ifndef LC_PRELOAD_EXEC_PLAN_H
#define LC_PRELOAD_EXEC_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "client/preload/environment.h"
#include "node/attach.h"
#include "node/file_kind.h"

struct lc_scratch;

enum { LC_EXEC_PLAN_ON_STACK = 1536 };

struct lc_exec_plan {
    const struct lc_node *node; /* NULL: everything stays as the caller gave it */
    struct lc_scratch *scratch; /* held until the plan has been written */
    const char *path;           /* as the caller gave it */
    bool is_staged;             /* execute 'file', else 'path' */
    bool is_script; /* 'file' is the interpreter of a script: 'argv' begins with the interpreter,
                       its option and the script's path */
    const char *file;
    char *const *argv, *const *env;
    enum lc_environment kind; /* of the caller's environment */
    struct lc_script script;
    bool sets_tls_room; /* set GLIBC_TUNABLES so that ld.so reserves 'tls_room' bytes for thread
                           variables (0: remove our setting) */
    uint64_t tls_room;
    size_t bytes; /* size of the memory that lc_exec_plan_write() needs */
    void
        *mapped; /* that memory, if it is mapped because it is too large for the stack; else NULL */
};

/* Decide what is to be executed. 0, or a positive errno if the image knows that the path cannot be
 * executed: then there is nothing to write or to end. */
int lc_exec_plan_make(struct lc_exec_plan *plan, const char *path, char *const argv[],
                      char *const env[]);

/* Decide on the environment alone: no staged file is used. A job launcher gets an environment
 * without our objects, because it would pass it on to other nodes, where they may not exist. */
void lc_exec_plan_make_environment(struct lc_exec_plan *plan, const char *path, char *const env[]);

#define LC_EXEC_PLAN_SPACE(plan)                                                  \
    ((plan)->bytes <= LC_EXEC_PLAN_ON_STACK ? __builtin_alloca((plan)->bytes + 1) \
                                            : lc_exec_plan_map(plan))

/* Write file, argv and env to 'space'. If that is NULL, everything stays as the caller gave it. */
void lc_exec_plan_write(struct lc_exec_plan *plan, void *space);
void lc_exec_plan_end(struct lc_exec_plan *plan);

/* exec_plan_memory.c: plan->bytes of memory, until the plan ends; NULL if there is none. */
void *lc_exec_plan_map(struct lc_exec_plan *plan);

/* Mapped memory of plans that have not ended. A child of vfork that executes a program leaves the
 * mapping in its parent, so it is listed here. The thread that called vfork continues only after
 * the child has executed: an entry with its own thread pointer and another process ID is left over,
 * and is unmapped. */
enum { LC_EXEC_PLAN_MEMORIES = 8 };
struct lc_exec_plan_memory {
    struct lc_exec_plan_mapping {
        long process; /* process ID; 0: free slot; -1: being filled in */
        uint64_t thread;
        void *at;
        size_t size;
    } mapping[LC_EXEC_PLAN_MEMORIES];
};
void lc_exec_plan_memory_add(struct lc_exec_plan_memory *all, long process, uint64_t thread,
                             void *at, size_t size);
/* Unmap what children of vfork of this thread have left. */
void lc_exec_plan_memory_clean(struct lc_exec_plan_memory *all, long process, uint64_t thread);
/* Unmap listed memory; false if it is not listed, because there was no free slot. */
bool lc_exec_plan_memory_free(struct lc_exec_plan_memory *all, const void *at);

size_t lc_count_arguments(char *const argv[]);

#endif
