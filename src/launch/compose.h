/* SPDX-License-Identifier: MIT */
/* compose.h - launch lines made from the user's own */
#ifndef LC_LAUNCH_COMPOSE_H
#define LC_LAUNCH_COMPOSE_H

#include "launch/launch_line.h"
#include "launch/words.h"
#include "util/error.h"

/* A line ready to be executed: the words, and "NAME=VALUE" to be set in the launcher's own
 * environment. Zeroed at first; the owner calls lc_composed_free. */
struct lc_composed {
    struct lc_argv words;
    struct lc_argv environment;
};

void lc_composed_free(struct lc_composed *composed);

/* The user's line with variables ("NAME=VALUE", ends with NULL) for its ranks, carried by the
 * launcher's own options so that the launcher itself does not get them; and with the words 'prefix'
 * (may be NULL) before each program, if the line is understood. 0, or -1 with err filled: the
 * launcher cannot carry a value, or there is no memory. */
int lc_compose_ranks(const struct lc_launch_line *line, char *const *variables, char *const *prefix,
                     struct lc_composed *out, struct lc_error *err);

/* Add the words that start one process on each node that the line may use; the program is to be
 * added. No words if that is this machine alone. 0, or -1 with err filled: the launcher cannot do
 * it here (srun outside an allocation). */
int lc_compose_per_node(const struct lc_launch_line *line, struct lc_argv *out,
                        struct lc_error *err);

/* The same for the allocation this process is in, without any line. */
int lc_compose_allocation(struct lc_argv *out, struct lc_error *err);

/* Add those options of one part of an understood line that are in 'list', with their values. */
void lc_compose_kept(const struct lc_launch_line *line, int part, const char *list,
                     struct lc_argv *out);

/* The number of nodes of the Slurm allocation that this process runs in; 0: none. */
long lc_compose_slurm_nodes(void);

#endif
