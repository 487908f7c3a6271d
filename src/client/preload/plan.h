/* SPDX-License-Identifier: MIT */
/* plan.h - what is to be executed for a path, and in which environment
 *
 * May run between vfork and exec, in a borrowed address space, and on a stack of few kilobytes:
 * nothing is kept, and little stack is used. What the new program is told stands in the caller's
 * frame, as long as it is:
 *
 *     struct lc_plan plan;
 *     int error = lc_plan_make(&plan, path, argv, env);
 *     if (error)
 *         ...
 *     lc_plan_settle(&plan, LC_PLAN_SPACE(&plan));
 *     ...
 *     lc_plan_end(&plan);
 */
#ifndef LC_PRELOAD_PLAN_H
#define LC_PRELOAD_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "client/preload/environment.h"
#include "node/attach.h"
#include "node/file_kind.h"

struct lc_room;

enum { LC_PLAN_ON_STACK = 1536 };

struct lc_plan {
    const struct lc_node *node; /* NULL: all is as it was given */
    struct lc_room *room;       /* until it is settled */
    const char *path;
    bool is_staged;   /* else the path as it was given */
    bool is_script;   /* 'file' is the interpreter, with the script's words */
    const char *file; /* to be executed, if is_staged */
    char *const *argv, *const *env;
    enum lc_environment kind; /* of the caller's environment */
    struct lc_script script;
    bool sets_room;    /* for thread variables, to this: */
    uint64_t tls_room; /* 0: none */
    size_t bytes;      /* that settling needs */
    void *mapped;      /* where that is more than a stack should give */
};

/* Decide. 0, or a positive errno when the image knows that it cannot be executed: then it is over,
 * else it must be settled. */
int lc_plan_make(struct lc_plan *plan, const char *path, char *const argv[], char *const env[]);

/* The same for the environment alone: nothing is staged. A launcher gets one without us: it would
 * take that to other nodes, where nobody has looked at what it names. */
void lc_plan_make_environment(struct lc_plan *plan, const char *path, char *const env[]);

#define LC_PLAN_SPACE(plan) \
    ((plan)->bytes <= LC_PLAN_ON_STACK ? __builtin_alloca((plan)->bytes + 1) : lc_plan_map(plan))
void *lc_plan_map(struct lc_plan *plan);

/* Write down file, argv and env. Without space all is as it was given. */
void lc_plan_settle(struct lc_plan *plan, void *space);
void lc_plan_end(struct lc_plan *plan);

size_t lc_count_arguments(char *const argv[]);

#endif
