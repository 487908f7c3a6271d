/* SPDX-License-Identifier: MIT */
/* case.h - a case on a target: its staged files, and the command line of a rank */
#ifndef LC_BENCH_CASE_H
#define LC_BENCH_CASE_H

#include "bench/copy.h"
#include "bench/suite.h"
#include "bench/target.h"
#include "util/run.h"

/* The command line of a rank. */
struct lc_rank_program {
    struct lc_argv variable; /* NAME=VALUE */
    struct lc_argv argv;
    char dir[PATH_MAX]; /* working directory; "": where bench was started */
};
void lc_rank_program_free(struct lc_rank_program *program);

struct lc_case {
    const struct lc_suite *suite;
    const struct lc_suite_case *spec;
    struct lc_target *target;
    const struct lc_programs *programs;
    char source[PATH_MAX]; /* the directory that was copied to the target; "": none */
    char place[300];       /* name of its directory below the target's base; "": none */
    char python[PATH_MAX]; /* the interpreter; python-import: the one that the environment was built
                              from */
    char python_version[32];
    struct lc_copied copied;
    double copy_s;            /* time to stage it, bytecode included */
    double import_operations; /* of one process at set-up; 0: not counted */
    bool needs_mpi;
};

/* Copy the files to the target and verify them. 'work' is the directory for environments. Results
 * are reported by 'say' (may be NULL), line by line. 0, or -1 with err filled. */
int lc_case_prepare(struct lc_case *c, const char *work, void (*say)(const char *line),
                    struct lc_error *err);

/* Run the staged program in one process, to check interpreter and modules and to count operations.
 * Called by lc_case_prepare(). */
int lc_case_verify(struct lc_case *c, void (*say)(const char *line), struct lc_error *err);

/* The command line of a rank with its files below 'base', which is the target's base or root. */
int lc_case_program(const struct lc_case *c, const char *base, struct lc_rank_program *program,
                    struct lc_error *err);

/* The mode that rows carry: "pyMPI", "python-import", ... */
const char *lc_case_mode(const struct lc_case *c);

#endif
