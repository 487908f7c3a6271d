/* SPDX-License-Identifier: MIT */
/* compare.h - compare two sets of runs: is B slower than A? */
#ifndef LC_REPORT_COMPARE_H
#define LC_REPORT_COMPARE_H

#include "report/report.h"

/* A set of runs: all runs of a database, or those of the given database that match
 * "suite=a,version=0.2". */
struct lc_choice {
    const char *db; /* path of the database, or NULL: the given one */
    char *words;    /* owned; the filter and the texts below point into it */
    struct lc_run_filter filter;
    const char *version, *host, *job;
    const char *since, *until; /* as the user wrote them; the filter holds the times */
};

/* 0, or -1 with err filled. Free with lc_choice_free either way. */
int lc_choice_parse(const char *text, struct lc_choice *choice, struct lc_error *err);
void lc_choice_free(struct lc_choice *choice);

/* The choice of the runs before those of 'text': "target=a,since=X" becomes "target=a,until=X". The
 * caller frees it. NULL if the text has no since, or has an until. */
char *lc_choice_before(const char *text);

enum lc_compare_verdict { LC_SAME, LC_FASTER, LC_SLOWER, LC_TOO_FEW };

struct lc_match {
    char *key[7]; /* case, mode, target, ranks, nodes, with, cache; "" where the choices differ */
    struct lc_numbers a, b;
    struct lc_rank_test test;
    enum lc_compare_verdict verdict;
};

struct lc_comparison {
    struct lc_map by_key;  /* of struct lc_match */
    size_t runs_a, runs_b; /* chosen runs that have a value */
    size_t only_a, only_b; /* points that only one set has */
    size_t slower, faster, same, too_few;
};

/* 'common' restricts both sets, except by the words that they name themselves. B is slower at a
 * point if a rank test over the runs is significant ('alpha': share of false findings) and the
 * median is more than 'threshold' (0.05: 5 %) above that of A. */
int lc_compare(const char *db, const struct lc_run_filter *common, const struct lc_choice *a,
               const struct lc_choice *b, double alpha, double threshold, struct lc_comparison *out,
               struct lc_error *err);
void lc_comparison_free(struct lc_comparison *comparison);

void lc_comparison_print(const struct lc_comparison *comparison, const char *a, const char *b,
                         FILE *out);
int lc_comparison_json(const struct lc_comparison *comparison, const char *a, const char *b,
                       FILE *out, struct lc_error *err);

#endif
