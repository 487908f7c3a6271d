/* SPDX-License-Identifier: MIT */
/* environment.h - the environment of a program that is about to be started: unchanged, without
 * our objects, or with our preload object added again
 *
 * A program or script may set its own LD_PRELOAD and lose ours. If LD_AUDIT still names our
 * auditor, our preload object is appended again: otherwise files that the new program writes
 * would not be noticed. If neither variable names us, the caller chose so, and nothing is
 * changed.
 */
#ifndef LC_PRELOAD_ENVIRONMENT_H
#define LC_PRELOAD_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "node/attach.h"

enum lc_environment {
    LC_ENVIRONMENT_OTHER,   /* names none of our objects: leave it unchanged */
    LC_ENVIRONMENT_OURS,    /* names our objects: leave it unchanged */
    LC_ENVIRONMENT_LACKING, /* names our auditor only: append our preload object */
    LC_ENVIRONMENT_BARRED,  /* names our objects, but they cannot be loaded: remove them */
};

enum lc_environment lc_environment_kind(char *const env[]);

/* Bytes for lc_environment_make; 0 if nothing is to be changed. */
size_t lc_environment_size(const struct lc_node *node, char *const env[], enum lc_environment kind);

/* Write a changed copy to 'space' (of lc_environment_size() bytes) and return it. */
char *const *lc_environment_make(const struct lc_node *node, char *const env[],
                                 enum lc_environment kind, void *space);

/* The value of a variable, or NULL. 'name' ends with '='. */
const char *lc_variable(char *const env[], const char *name);

#endif
