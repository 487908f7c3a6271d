/* SPDX-License-Identifier: MIT */
/* describe.h - describe a workload directory: its files, and the file system operations of a run */
#ifndef LC_GEN_DESCRIBE_H
#define LC_GEN_DESCRIBE_H

#include <jansson.h>
#include <stdio.h>

#include "util/error.h"

/* The manifest of 'dir', with "totals" by kind of library, "programs" by name, and for each library
 * the contents of its file ("elf") added. New reference, or NULL with err filled. */
json_t *lc_describe(const char *dir, struct lc_error *err);

/* Print a description as tables for a person. */
void lc_describe_print(const json_t *description, FILE *out);

/* Print for each program that is linked with the libraries what the original prints after a build:
 * its size by sections, together with the libraries. */
void lc_describe_summaries(const json_t *description, FILE *out);

#endif
