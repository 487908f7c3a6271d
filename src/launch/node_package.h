/* SPDX-License-Identifier: MIT */
/* node_package.h - what each node runs, brought there by the launcher itself
 *
 * Loadcast may lie on the very file system that is to be spared. So a node starts nothing from
 * there: the words of its command line hold a small archive, which a shell unpacks into node memory
 * and runs. */
#ifndef LC_LAUNCH_NODE_PACKAGE_H
#define LC_LAUNCH_NODE_PACKAGE_H

#include <stdbool.h>

#include "launch/words.h"
#include "util/error.h"

/* How a kit gets to a node. */
enum lc_package_way {
    LC_PACKAGE_WORDS,     /* in the command line, as text */
    LC_PACKAGE_VARIABLES, /* in variables that lc_node_package_variables gives and the launcher
                             carries */
    LC_PACKAGE_FILE,      /* each node reads the file: for launchers that cannot carry so much */
};

/* Every line begins with a shell. It is started by the loader that this program runs under, so that
 * LD_LIBRARY_PATH is not searched for its C library on the shared disk; 'plain' is for nodes of
 * which it is not known that they have that loader: they are to say so, and to run their ranks. */

/* Add to 'out' what runs PROGRAM of the kit file 'kit' (node-kit.tgz), unpacked below 'dir'; its
 * arguments are to be added. 0, or -1 with err filled. */
int lc_node_package_add(struct lc_argv *out, enum lc_package_way way, bool plain, const char *kit,
                        const char *dir, const char *program, struct lc_error *err);

/* "NAME=VALUE" for LC_PACKAGE_VARIABLES; each is small enough for the kernel. 0, or -1 with err
 * filled.
 */
int lc_node_package_variables(struct lc_argv *out, const char *kit, struct lc_error *err);

/* The same for a single executable, which becomes PROGRAM. */
int lc_node_package_add_program(struct lc_argv *out, bool plain, const char *executable,
                                const char *dir, const char *program, struct lc_error *err);

/* What stands in front of a rank's program: the staged launcher if it is there, else nothing.
 * 'node' is the node directory. */
void lc_node_package_add_rank_prefix(struct lc_argv *out, bool plain, const char *node);

/* The same for ranks that stage by themselves: the kit in words, and if the image is not there the
 * first rank of each node copies it from 'image'. Its shell is the plain one: no step before it has
 * seen the nodes. */
int lc_node_package_add_self_staging(struct lc_argv *out, const char *kit, const char *dir,
                                     const char *node, const char *id, const char *image,
                                     struct lc_error *err);

#endif
