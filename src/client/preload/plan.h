/* SPDX-License-Identifier: MIT */
/* plan.h - what is to be executed for a path, and in which environment
 *
 * May run between vfork and exec, in a borrowed address space: nothing is kept, and no stack is
 * used beyond the plan itself. */
#ifndef LC_PRELOAD_PLAN_H
#define LC_PRELOAD_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "client/free/attach.h"
#include "client/free/kind.h"

enum { LC_MOST_ARGUMENTS = 30000 };

struct lc_plan {
    bool is_staged;                       /* else the path as it was given */
    bool is_script;                       /* 'file' is the interpreter, with the script's words */
    char file[LC_PATH_MAX + LC_NODE_LEN]; /* to be executed, if is_staged */
    struct lc_script script;
    char *const *env; /* the caller's, or without us */
};

/* Decide. 0, or a positive errno when the image knows that it cannot be executed. */
int lc_plan_make(struct lc_plan *plan, const char *path, char *const env[]);

size_t lc_count_arguments(char *const argv[]);

/* argv for a script, into room for the caller's and three more: interpreter, option, script, the
 * caller's from the second on. */
void lc_plan_arguments(const struct lc_plan *plan, const char *path, char *const argv[],
                       char **out);

/* A variable's value, or NULL; by its name and '='. */
const char *lc_variable(char *const env[], const char *name);

#endif
