/* SPDX-License-Identifier: MIT */
/* arm_packed.h - what the arms 'copy' and 'squashfs' share: the case's directory packed into one
 * file, and a directory in the memory of each node through which ranks use it */
#ifndef LC_BENCH_ARM_PACKED_H
#define LC_BENCH_ARM_PACKED_H

#include "bench/memory_guard.h"
#include "bench/node_hold.h"

/* The first member of an arm's own struct. */
struct lc_packed_tree {
    char file[PATH_MAX], seen[PATH_MAX]; /* the packed file: on the disk itself, as nodes see it */
    struct lc_session_dir own;           /* the directory in memory; the same path on every node */
    const char *below;                   /* where the files are, below it */
    struct lc_memory_guard guard;        /* cleans up if bench is killed */
    struct lc_node_hold hold;
};

/* Are these programs (ends with NULL) in PATH? 0, or -1 with err naming the first that is not. */
int lc_packed_needs(const char *const *programs, struct lc_error *err);

/* Allocate setup->own, of 'size' bytes, and choose its places. 0, or -1 with err filled. */
int lc_packed_open(struct lc_arm_setup *setup, size_t size, const char *suffix, const char *below,
                   struct lc_error *err);

/* Run a command that packs, and set setup->bytes; 'out' gets what it printed. */
int lc_packed_make(struct lc_arm_setup *setup, const struct lc_argv *command, struct lc_buf *out,
                   struct lc_error *err);

/* These are operations of struct lc_arm_ops. */
void lc_packed_close(struct lc_arm_setup *setup);
int lc_packed_end(struct lc_arm_setup *setup, struct lc_error *err);
int lc_packed_program(const struct lc_arm_setup *setup, struct lc_rank_program *program,
                      struct lc_error *err);
void lc_packed_memory(const struct lc_arm_setup *setup, struct lc_argv *words);

#endif
