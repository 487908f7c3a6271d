/* SPDX-License-Identifier: MIT */
/* environment.h - the environment of a program that is about to be started: as its caller made it,
 * without our objects, or with our preload again
 *
 * An environment that still holds our LD_AUDIT, but lost our LD_PRELOAD to a program or script that
 * set its own, gets it back behind those: else what the new program writes would go unseen. One
 * that holds neither is its caller's choice. */
#ifndef LC_PRELOAD_ENVIRONMENT_H
#define LC_PRELOAD_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "node/attach.h"

enum lc_environment {
    LC_ENVIRONMENT_OTHER,   /* does not lead to us: to be left alone */
    LC_ENVIRONMENT_OURS,    /* leads to us: to be left alone */
    LC_ENVIRONMENT_LACKING, /* leads to us, once our preload is in it again */
    LC_ENVIRONMENT_BARRED,  /* names our objects, which cannot be loaded: to be taken out */
};

enum lc_environment lc_environment_kind(char *const env[]);

/* Bytes for lc_environment_make; 0 if nothing is to be changed. */
size_t lc_environment_size(const struct lc_node *node, char *const env[], enum lc_environment kind);

/* A changed copy in 'space'. */
char *const *lc_environment_make(const struct lc_node *node, char *const env[],
                                 enum lc_environment kind, void *space);

/* A variable's value, or NULL; by its name and '='. */
const char *lc_variable(char *const env[], const char *name);

#endif
