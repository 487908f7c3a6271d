/* SPDX-License-Identifier: MIT */
/* launcher_errors.h - what a launcher said, for a message of ours */
#ifndef LC_LAUNCH_LAUNCHER_ERRORS_H
#define LC_LAUNCH_LAUNCHER_ERRORS_H

#include <jansson.h>

#include "util/error.h"

enum { LC_SENTENCE = 240 };

/* ": " and the first sentence of what a launcher wrote to standard error, without the rules and
 * empty lines that some put before it; "" if there is none. Returns 'out'. */
const char *lc_launcher_sentence(char out[LC_SENTENCE], const char *said);

/* Adds to a message about a launcher that fell silent which nodes were not heard of, if 'argv' or
 * Slurm's allocation tells which there are; else how many were heard of. Keeps errno. */
void lc_launcher_add_silent_nodes(char *const *argv, const json_t *heard, struct lc_error *err);

#endif
