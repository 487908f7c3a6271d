/* SPDX-License-Identifier: MIT */
/* case.h - a case on a target: staged, verified, and the words that one rank runs */
#ifndef LC_BENCH_CASE_H
#define LC_BENCH_CASE_H

#include "bench/copy.h"
#include "bench/suite.h"
#include "bench/target.h"
#include "util/run.h"

/* What one rank runs, for a given place of the staged directory. */
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
    char source[PATH_MAX]; /* what was staged, where it came from; "": nothing */
    char place[300];       /* name of its directory below the target's base; "": none */
    char python[PATH_MAX]; /* python-import: what the environment was built from */
    char python_version[32];
    struct lc_copied copied;
    double copy_s;            /* time to stage it, bytecode included */
    double import_operations; /* of one process at set-up; 0: not counted */
    bool needs_mpi;
};

/* Stage to the target and try it in one process. 'work' is where environments are kept. What was
 * found is told by 'say' (may be NULL), line by line. 0, or -1 with err filled. */
int lc_case_prepare(struct lc_case *c, const char *work, void (*say)(const char *line),
                    struct lc_error *err);

/* Try what was staged in one process: interpreter, modules and operations. lc_case_prepare does. */
int lc_case_verify(struct lc_case *c, void (*say)(const char *line), struct lc_error *err);

/* The program with its files below 'base', one of the target's base and root. */
int lc_case_program(const struct lc_case *c, const char *base, struct lc_rank_program *program,
                    struct lc_error *err);

/* The mode that rows carry: "pyMPI", "python-import", ... */
const char *lc_case_mode(const struct lc_case *c);

#endif
