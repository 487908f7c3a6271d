/* SPDX-License-Identifier: MIT */
/* node_hold.h - something that each node of a job holds while its ranks run: an unpacked tree, a
 * mount
 *
 * One process per node (bench-rank hold) runs a script of scripts/ with the word 'begin', and again
 * with 'end' as soon as it loses its connection to bench, by whatever cause: also if bench was
 * killed. */
#ifndef LC_BENCH_NODE_HOLD_H
#define LC_BENCH_NODE_HOLD_H

#include "bench/arm_ops.h"
#include "bench/collect.h"

struct lc_node_hold {
    struct lc_collect nodes;
    bool is_held;
};

/* What every node does: 'script' gets the variables "NAME=VALUE" and DIR, a directory that is made
 * and removed. */
struct lc_node_task {
    const char *dir, *script;
    const struct lc_argv *variables;
};

/* Start it on all nodes of a job and wait until all hold it. 0; or -1 with err filled, and no node
 * holds it. */
int lc_node_hold_begin(struct lc_node_hold *hold, const struct lc_arm_job *job,
                       const struct lc_case *c, const struct lc_node_task *task,
                       struct lc_error *err);

/* End it on all nodes and wait for that. */
void lc_node_hold_end(struct lc_node_hold *hold);

/* The words that start one process on each node of a job; none for this node alone. */
int lc_node_words(const struct lc_arm_job *job, struct lc_argv *out, struct lc_error *err);

#endif
