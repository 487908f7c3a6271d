/* SPDX-License-Identifier: MIT */
/* launcher_errors.h - what a launcher wrote to standard error, for messages of ours */
#ifndef LC_LAUNCH_LAUNCHER_ERRORS_H
#define LC_LAUNCH_LAUNCHER_ERRORS_H

#include <jansson.h>

#include "util/error.h"

enum { LC_SENTENCE = 240 };

/* Put ": " and the first sentence of 'said' into 'out', without the rulers ("-----") and empty
 * lines that some launchers print before it; "" if there is none. Returns 'out'. */
const char *lc_launcher_sentence(char out[LC_SENTENCE], const char *said);

/* After a time-out, add to the message which nodes have said nothing, if 'argv' or Slurm's
 * allocation names the nodes; else how many have answered. Keeps errno. */
void lc_launcher_add_silent_nodes(char *const *argv, const json_t *heard, struct lc_error *err);

#endif
