/* SPDX-License-Identifier: MIT */
/* describe.h - what a workload directory holds, and what running it will ask for */
#ifndef LC_GEN_DESCRIBE_H
#define LC_GEN_DESCRIBE_H

#include <jansson.h>
#include <stdio.h>

#include "util/error.h"

/* The manifest of 'dir' with, added: "totals" by kind of library, "programs" by name, and in each
 * library what its file really holds ("elf"). New reference, or NULL with err filled. */
json_t *lc_describe(const char *dir, struct lc_error *err);

/* The same as tables for a person. */
void lc_describe_print(const json_t *description, FILE *out);

#endif
