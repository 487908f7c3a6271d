/* SPDX-License-Identifier: MIT */
/* bench.h - what the files of 'loadcast bench' share */
#ifndef LC_CMD_BENCH_H
#define LC_CMD_BENCH_H

#include <stdio.h>

#include "bench/bench.h"
#include "util/cli.h"

/* The options of the command line; NULL or empty where an option is not given. */
struct lc_bench_words {
    const char *kind, *python, *env, *workload, *mode, *command, *stage, *name;
    const char *widths, *caches, *with, *launcher, *precision, *max_runs, *stop_above;
    const char *bystander_limit, *timeout, *bytecode;
    struct lc_strings packages, targets, storms;
    bool mpi, no_count;
};

/* The suite from 'file', changed by the options, or a suite made of the options alone. 'whole' is
 * the command line, which is stored as the suite's text if there is no file. NULL with err filled.
 */
struct lc_suite *lc_bench_suite(const char *file, const struct lc_bench_words *words, char **whole,
                                struct lc_error *err);

/* The lines of the summary that is printed at the end. */
struct lc_bench_summary {
    struct lc_bench_line *line; /* owned */
    size_t count;
};
void lc_bench_summary_add(struct lc_bench_summary *s, const struct lc_bench_line *line);
void lc_bench_summary_print(const struct lc_bench_summary *s, FILE *out);
int lc_bench_summary_json(const struct lc_bench_summary *s, struct lc_error *err);
void lc_bench_summary_free(struct lc_bench_summary *s);

/* Add the loaded modules and the environment to the text that is kept with every run, as comments.
 * 'say' is told the modules. */
void lc_bench_note_environment(struct lc_suite *suite, void (*say)(const char *text));

struct lc_picks;
void lc_bench_plan_print(const struct lc_suite *suite, const struct lc_picks *picks, FILE *out);

/* argv's pointers, ending with NULL; the caller frees the array. */
char **lc_bench_copy_words(int argc, char **argv);

/* Submit 'loadcast bench WORDS' without --submit to a batch queue. Returns the exit code. */
int lc_bench_submit(const struct lc_cli *cli, const char *line, char **words);

int lc_cmd_bench_env(int argc, char **argv);

#endif
