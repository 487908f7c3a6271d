/* SPDX-License-Identifier: MIT */
/* exec_path.h - the name by which a staged program was started. Freestanding.
 *
 * The kernel gives a new process the path that was executed (AT_EXECFN), and names it after its
 * last part. So a staged program is executed by a path below NODE/files that is spelt as the caller
 * spelt his, and which the new process can read back:
 *
 *   NODE/files/usr/bin/python3           "/usr/bin/python3"
 *   NODE/files/scratch/.//./bin/tool     "bin/tool", in the working directory /scratch
 *   NODE/.//././files/usr/bin/python3    argument 2, a script, of which this is the interpreter
 */
#ifndef LC_NODE_EXEC_PATH_H
#define LC_NODE_EXEC_PATH_H

#include <stdbool.h>
#include <stddef.h>

#include "node/attach.h"

/* NODE/files + path, where 'full' is 'path' made absolute; false if that is too long. */
bool lc_started_path(const struct lc_node *node, const char *path, const char *full, char *out,
                     size_t size);

/* The same for the interpreter of a script: 'file' is changed in place to tell that the script is
 * argument number 'at'. Left as it is if there is no room. */
void lc_started_script(const struct lc_node *node, char *file, size_t size, size_t at);

/* What was asked for, by AT_EXECFN: a part of it, or an argument of 'argv' (then *is_script). NULL
 * if the program is not staged, or this cannot be told. */
const char *lc_started_as(const struct lc_node *node, const char *file, char *const argv[],
                          bool *is_script);

#endif
