/* SPDX-License-Identifier: MIT */
/* suite.h - what is to be measured: cases x targets x widths x caches x with; see doc/suite.md
 *
 * Read from YAML (suite_yaml.c) or made from a command line (cmd/bench.c). Strings are owned by
 * the suite; those that were not given are NULL until lc_suite_check has put the defaults in. */
#ifndef LC_BENCH_SUITE_H
#define LC_BENCH_SUITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

enum lc_case_kind {
    LC_CASE_IMPORT,
    LC_CASE_WORKLOAD,
    LC_CASE_CLOADTEST,
    LC_CASE_COMMAND,
    LC_CASE_DUMMY
};

/* Number of ranks, and of nodes (0: the launcher decides). */
struct lc_width {
    long ranks, nodes;
};

struct lc_suite_case {
    char *name;
    char *kind_name;
    enum lc_case_kind kind;
    /* python-import */
    char **packages;
    unsigned packages_count;
    char *python; /* the interpreter the environment is built from */
    char *env;    /* an environment made by 'loadcast bench env'; else one is built */
    bool mpi;     /* the ranks also initialise MPI */
    /* workload, cloadtest */
    char *workload; /* made by 'loadcast gen' */
    char *mode;
    /* command */
    char *command; /* shell words; {target} is the staged directory */
    char *stage;   /* the directory that is copied to the target */
    /* settings that override the suite's */
    char **width_texts;
    unsigned width_texts_count;
    struct lc_width *widths; /* ascending */
    size_t width_count;
    char *timeout_text, *stop_above_text;
    double timeout_s, stop_above_s; /* stop_above 0: never */
    char *launcher;
    double *weight;
};

/* A stormfs that bench mounts itself; see stormfs(1). */
struct lc_suite_storm {
    char *profile;
    long *scale;
    char *options; /* more of stormfs's options */
};

struct lc_suite_target {
    char *name;
    char *path; /* a directory; with 'stormfs' the one behind it, made if absent */
    struct lc_suite_storm *stormfs;
    bool in_place;      /* a case's 'env' is used where it stands, below 'path' */
    char *cold_command; /* shell command that drops the caches of all nodes */
    double *weight;
};

struct lc_suite {
    char *name;
    char *text; /* as it was read; owned */
    struct lc_suite_case *cases;
    unsigned cases_count;
    struct lc_suite_target *targets;
    unsigned targets_count;
    char **width_texts;
    unsigned width_texts_count;
    char **caches; /* cold, warm, found */
    unsigned caches_count;
    char **with; /* names of arms: plain, loadcast, ... */
    unsigned with_count;
    char *launcher; /* auto, plain, mpiexec, srun, or a line with {ranks} and {nodes} */
    char *bytecode; /* compile, exclude, keep */
    char *timeout_text, *stop_above_text;
    double *precision, *bystander_limit;
    long *min_runs, *max_runs;
    bool *count; /* count operations in a separate run */
    char *db;
};

/* Read, check and fill in defaults. NULL with err filled, for example "SUITE.yaml:3:5: unknown key
 * 'wdiths'; did you mean 'widths'?". */
struct lc_suite *lc_suite_read(const char *file, struct lc_error *err);

/* An empty suite, freed by lc_suite_free(). */
struct lc_suite *lc_suite_new(void);
void lc_suite_free(struct lc_suite *suite);

/* Fill in defaults and check all values. 0, or -1 with err filled. */
int lc_suite_check(struct lc_suite *suite, struct lc_error *err);

/* "16" or "64@4" (64 ranks on 4 nodes). 0, or -1 with err filled. */
int lc_width_parse(const char *text, struct lc_width *out, struct lc_error *err);

#endif
