/* SPDX-License-Identifier: MIT */
/* arm_ops.h - what a suite's 'with:' names: ways to start the same job
 *
 * Each is one file, arm_NAME.c, with one struct lc_arm_ops. 'plain' does nothing but start the
 * ranks. The others bring the case's files to the nodes in their own way, so each has two parts:
 * prepare() is done once per environment (record, pack) and measured apart; begin() is done for
 * every job and is part of the headline (check and stage, unpack, mount). */
#ifndef LC_BENCH_ARM_OPS_H
#define LC_BENCH_ARM_OPS_H

#include "bench/case.h"
#include "stage/session_dir.h"

/* An arm that is set up for one case on one target. */
struct lc_arm_setup {
    const struct lc_arm_ops *ops;
    const struct lc_case *c;
    const char *work; /* directory for what cannot be kept on the target */
    double prepare_s; /* once per environment; NAN: nothing is prepared */
    double edit_s;    /* the same again after one file was edited; NAN: not measured */
    uint64_t bytes;   /* of the prepared image or archive; 0: none */
    void *own;        /* of the arm; freed by its close() */
};

/* The nodes that a job runs on. */
struct lc_arm_job {
    const char *launcher; /* resolved: not "auto" */
    struct lc_width width;
    bool is_single; /* the files need not stay for another run on these nodes */
};

/* What begin() took, in seconds; NAN: there is no such part. */
struct lc_arm_times {
    double check_s, stage_s;
};

/* Every function but 'program' may be NULL: there is nothing to do. Those that return int return 0,
 * or -1 with err filled. */
struct lc_arm_ops {
    const char *name;
    const char *prepared; /* what prepare() does, in the past tense: "recorded" */

    /* Can it be had on this machine? If not, err says what is missing. */
    int (*possible)(struct lc_error *err);

    /* Set it up; close() is called whatever this returns. */
    int (*prepare)(struct lc_arm_setup *setup, struct lc_error *err);
    void (*close)(struct lc_arm_setup *setup);

    /* A file of the case was edited: what must be done before the next job can use it. What was
     * prepared may be useless afterwards. */
    int (*update)(struct lc_arm_setup *setup, struct lc_error *err);

    /* Bring the files to the nodes of a job, unless they are there since the last call. */
    int (*begin)(struct lc_arm_setup *setup, const struct lc_arm_job *job,
                 struct lc_arm_times *times, struct lc_error *err);
    /* Remove them again. */
    int (*end)(struct lc_arm_setup *setup, struct lc_error *err);
    bool is_per_run; /* nothing stays for the next run, not even for a warm one */

    /* The command line of a rank, after begin(). */
    int (*program)(const struct lc_arm_setup *setup, struct lc_rank_program *program,
                   struct lc_error *err);

    /* Add words that stand before the whole launch line. */
    void (*prefix)(const struct lc_arm_setup *setup, struct lc_argv *words);
    bool has_no_vfork; /* processes that it covers must not call vfork() */

    /* Add what takes memory on a node while the job runs, in the words of memory.h. */
    void (*memory)(const struct lc_arm_setup *setup, struct lc_argv *words);
};

extern const struct lc_arm_ops lc_arm_plain, lc_arm_copy, lc_arm_squashfs, lc_arm_loadcast,
    lc_arm_loadcast_libs, lc_arm_spindle;

/* All arms, in the order in which they are named to people; ends with NULL. */
extern const struct lc_arm_ops *const lc_arms[];

/* By its name, or NULL. */
const struct lc_arm_ops *lc_arm_ops_find(const char *name);

/* Call the operation of the same name, if there is one. */
int lc_arm_setup_open(struct lc_arm_setup *setup, const struct lc_arm_ops *ops,
                      const struct lc_case *c, const char *work, struct lc_error *err);
void lc_arm_setup_close(struct lc_arm_setup *setup);
int lc_arm_setup_begin(struct lc_arm_setup *setup, const struct lc_arm_job *job,
                       struct lc_arm_times *times, struct lc_error *err);
int lc_arm_setup_end(struct lc_arm_setup *setup, struct lc_error *err);

/* The line that a launcher would start 'command' by; empty for plain processes on this node. */
int lc_arm_job_line(const struct lc_arm_job *job, const char *command, struct lc_argv *line,
                    struct lc_error *err);

/* Make a directory in this node's memory for one arm, and remove those that dead benches have left.
 * 0, or -1 with err filled. */
int lc_arm_memory_make(struct lc_session_dir *dir, struct lc_error *err);

/* Choose where to keep a prepared file: 'file' is its path on the disk itself, 'seen' as ranks see
 * it, both of PATH_MAX bytes. One per case and mode, on the target, or in 'work' if that is
 * read-only. */
int lc_arm_file_place(const struct lc_arm_setup *setup, const char *suffix, char *file, char *seen,
                      struct lc_error *err);

#endif
