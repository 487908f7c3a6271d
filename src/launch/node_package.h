/* SPDX-License-Identifier: MIT */
/* node_package.h - programs that each node runs, brought there by the launcher itself
 *
 * Loadcast may be installed on the very file system that is to be spared, so nodes start nothing
 * from there. The command line of a step holds the node package (node-kit.tgz: the stager and the
 * objects it stages) as text, and a shell script (scripts/) that unpacks it into node memory and
 * runs a program of it. */
#ifndef LC_LAUNCH_NODE_PACKAGE_H
#define LC_LAUNCH_NODE_PACKAGE_H

#include <stdbool.h>

#include "launch/words.h"
#include "util/embedded.h"
#include "util/error.h"

/* scripts/NAME.sh, each as one line. */
extern const struct lc_embedded lc_launch_scripts[];

/* How the package gets to a node. */
enum lc_package_way {
    LC_PACKAGE_WORDS,     /* in words of the command line */
    LC_PACKAGE_VARIABLES, /* in the variables of lc_node_package_variables */
    LC_PACKAGE_FILE,      /* each node reads the file, for launchers that cannot carry so much */
};

/* Every command begins with a shell, which is started by the loader that this program runs under:
 * then LD_LIBRARY_PATH is not searched for its C library on the shared file system. 'plain' starts
 * it by its name, for nodes that may lack that loader. */

/* Add the words that unpack the file 'package' below 'dir' and run PROGRAM of it; the program's
 * arguments are to be added. 0, or -1 with err filled. */
int lc_node_package_add(struct lc_argv *out, enum lc_package_way way, bool plain,
                        const char *package, const char *dir, const char *program,
                        struct lc_error *err);

/* Add "NAME=VALUE" for LC_PACKAGE_VARIABLES, each within the kernel's limit. 0, or -1 with err
 * filled. */
int lc_node_package_variables(struct lc_argv *out, const char *package, struct lc_error *err);

/* As lc_node_package_add, with a package of one executable, which becomes PROGRAM. */
int lc_node_package_add_program(struct lc_argv *out, bool plain, const char *executable,
                                const char *dir, const char *program, struct lc_error *err);

/* Add the words before a rank's program that start it through the launcher in the node directory
 * 'node', if that is there and this user's. */
void lc_node_package_add_rank_prefix(struct lc_argv *out, bool plain, const char *node);

/* Add the words before each program of a line whose first 'ranks' ranks are to be watched
 * (node/watched.h) by the program 'loadcast', where that is. This process has it open as 'fd' while
 * the line runs. 'plain': no loader stands before the shell. */
void lc_node_package_add_watch_prefix(struct lc_argv *out, bool plain, const char *loadcast, int fd,
                                      long ranks, const char *how);

/* What the ranks need to stage by themselves. All is borrowed. */
struct lc_self_staging {
    enum lc_package_way way; /* words, or variables */
    bool plain;
    bool is_strict;              /* a rank without the image fails */
    const char *package, *dir;   /* as of lc_node_package_add */
    const char *node;            /* the node directory, unless another user has taken its name */
    const struct lc_argv *words; /* for 'stager rank': its options, then the image */
};

/* The words before a rank's program for ranks that stage by themselves: the first rank of each node
 * copies the image. 0, or -1 with err filled. */
int lc_node_package_add_self_staging(struct lc_argv *out, const struct lc_self_staging *how,
                                     struct lc_error *err);

/* Path of the loader before the shell; "" if there is to be none. */
const char *lc_node_package_loader(void);

#endif
