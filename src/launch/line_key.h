/* SPDX-License-Identifier: MIT */
/* line_key.h - which image of the store is a launch line's own?
 *
 * The launcher's options and the programs' arguments do not count; the program that runs in the
 * end does, seen through env, nice, numactl and the like, "bash -c", "#!" and wrapper scripts that
 * exec. doc/store.md lists what makes a key. */
#ifndef LC_LAUNCH_LINE_KEY_H
#define LC_LAUNCH_LINE_KEY_H

#include <stdbool.h>

#include "launch/launch_line.h"
#include "store/key.h"
#include "util/error.h"

/* The key of a launch line, or of a plain command (argv ends with NULL, not empty). The caller
 * frees it, also after a failure. 0, or -1 with err filled if it cannot be told where the program
 * begins. No program is started, unless an ambiguous line needs lc_launcher_flavour(). */
int lc_line_key(char *const *argv, struct lc_store_key *key, struct lc_error *err);

/* The same; *all_found: every program of the line is here. */
int lc_line_key_found(char *const *argv, struct lc_store_key *key, bool *all_found,
                      struct lc_error *err);

/* As lc_launch_line_parse, but 'launcher' may be another kind of mpiexec: the programs are those
 * that every kind would start which understands the line. Asks the launcher only if kinds differ.
 */
void lc_launch_line_find_programs(struct lc_launch_line *line, char *const *argv);

#endif
