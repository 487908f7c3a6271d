/* SPDX-License-Identifier: MIT */
/* predict.h - a job on a machine at several widths, the widths at which something happens, and how
 * to show them */
#ifndef LC_PREDICT_PREDICT_H
#define LC_PREDICT_PREDICT_H

#include <stdio.h>

#include "predict/model.h"

enum { LC_PREDICT_WIDTHS = 64, LC_PREDICT_MOST_RANKS = 1000000 };

/* After this long a launcher gives up, and this long may another user's stat() take. */
#define LC_PREDICT_TIMEOUT_S   180.0
#define LC_PREDICT_BYSTANDER_S 1.0

struct lc_predicted_width {
    long ranks, nodes;
    struct lc_estimate of[LC_REMEDIES];
    bool is_beyond_machine; /* more nodes than the machine has */
    bool is_beyond_fit;     /* far wider than what its numbers were fitted to */
    double simulated_s;     /* messages of the chain by SimGrid; NAN: not simulated */
    double chain_s;         /* the same by the model */
};

struct lc_prediction {
    const struct lc_machine_model *machine;
    const struct lc_job *job;
    struct lc_predicted_width width[LC_PREDICT_WIDTHS];
    size_t widths;
    /* Least ranks; 0: not up to LC_PREDICT_MOST_RANKS. */
    long timeout_ranks;           /* plain takes longer than a launcher waits */
    long bystander_ranks;         /* another user's stat takes a second */
    long pays_ranks[LC_REMEDIES]; /* a remedy is faster than plain */
    char simulation[1600];        /* why there is none, or where it differs; "" if neither */
};

void lc_predict(struct lc_prediction *prediction, const struct lc_machine_model *machine,
                const struct lc_job *job, const long *ranks, size_t count);

/* Does a job of so many ranks need more nodes than the machine has? Is it far wider than what its
 * numbers were fitted to? */
bool lc_predict_is_beyond_machine(const struct lc_machine_model *machine, double ranks);
bool lc_predict_is_beyond_fit(const struct lc_machine_model *machine, double ranks);

/* The widths that are shown if none are given; returns how many. */
size_t lc_predict_default_widths(const struct lc_machine_model *machine, long *ranks, size_t most);

/* Ways to show it. 0, or -1 with err filled. */
void lc_predict_table(const struct lc_prediction *prediction, FILE *out);
int lc_predict_json(const struct lc_prediction *prediction, char *const command[], const char *file,
                    struct lc_error *err);
int lc_predict_page(const struct lc_prediction *prediction, FILE *out, struct lc_error *err);

/* One sentence, for the page and the table: what happens at the widest width. */
void lc_predict_headline(const struct lc_prediction *prediction, char *out, size_t size);

#endif
