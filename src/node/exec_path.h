/* SPDX-License-Identifier: MIT */
/* exec_path.h - encode the original name of a staged program in the path it is executed by.
 * Freestanding.
 *
 * The kernel passes the executed path to the new process (AT_EXECFN) and names the process after
 * the last component. So a staged program is executed by a path below NODE/files that contains the
 * path the caller gave, which the new process can read back:
 *
 *   NODE/files/usr/bin/python3           "/usr/bin/python3"
 *   NODE/files/scratch/.//./bin/tool     "bin/tool", in the working directory /scratch
 *   NODE/.//././files/usr/bin/python3    argument 2 is a script, and this its interpreter */
#ifndef LC_NODE_EXEC_PATH_H
#define LC_NODE_EXEC_PATH_H

#include <stdbool.h>
#include <stddef.h>

#include "node/attach.h"

/* Write the path to execute to 'out'. 'path' is the caller's, 'full' the same made absolute. False
 * if it does not fit. */
bool lc_exec_path_make(const struct lc_node *node, const char *path, const char *full, char *out,
                       size_t size);

/* Change 'file', the path of a script's interpreter, in place to say that argument number 'at' is
 * the script. Left as it is if there is no room. */
void lc_exec_path_mark_script(const struct lc_node *node, char *file, size_t size, size_t at);

/* The path that the caller gave, from AT_EXECFN ('file'): a part of its text, or an argument of
 * 'argv' (then *is_script). NULL if the program is not staged, or it cannot be determined. */
const char *lc_exec_path_original(const struct lc_node *node, const char *file, char *const argv[],
                                  bool *is_script);

#endif
