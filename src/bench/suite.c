/* SPDX-License-Identifier: MIT */
/* suite.c - making and freeing a suite; its widths as text */
#include "bench/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/human.h"

enum { MOST_RANKS = 10000000 };

struct lc_suite *lc_suite_new(void)
{
    return calloc(1, sizeof(struct lc_suite));
}

static void free_texts(char **text, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        free(text[i]);
    free(text);
}

static void free_case(struct lc_suite_case *c)
{
    char *const text[] = {c->name,     c->kind_name,    c->python,         c->env,
                          c->workload, c->mode,         c->command,        c->stage,
                          c->launcher, c->timeout_text, c->stop_above_text};

    for (size_t i = 0; i < sizeof(text) / sizeof(*text); i++)
        free(text[i]);
    free_texts(c->packages, c->packages_count);
    free_texts(c->width_texts, c->width_texts_count);
    free(c->widths);
    free(c->weight);
}

static void free_target(struct lc_suite_target *t)
{
    if (t->stormfs) {
        free(t->stormfs->profile);
        free(t->stormfs->scale);
        free(t->stormfs->options);
    }
    free(t->stormfs);
    free(t->name);
    free(t->path);
    free(t->cold_command);
    free(t->weight);
}

void lc_suite_free(struct lc_suite *suite)
{
    if (!suite)
        return;
    for (unsigned i = 0; i < suite->cases_count; i++)
        free_case(&suite->cases[i]);
    for (unsigned i = 0; i < suite->targets_count; i++)
        free_target(&suite->targets[i]);
    free_texts(suite->width_texts, suite->width_texts_count);
    free_texts(suite->caches, suite->caches_count);
    free_texts(suite->with, suite->with_count);
    void *const rest[] = {suite->name,
                          suite->text,
                          suite->cases,
                          suite->targets,
                          suite->launcher,
                          suite->bytecode,
                          suite->timeout_text,
                          suite->stop_above_text,
                          suite->precision,
                          suite->bystander_limit,
                          suite->min_runs,
                          suite->max_runs,
                          suite->count,
                          suite->db,
                          suite};
    for (size_t i = 0; i < sizeof(rest) / sizeof(*rest); i++)
        free(rest[i]);
}

int lc_width_parse(const char *text, struct lc_width *out, struct lc_error *err)
{
    char ranks[32];
    const char *at = strchr(text, '@');

    snprintf(ranks, sizeof(ranks), "%.*s", at ? (int)(at - text) : 30, text);
    out->nodes = 0;
    if (lc_parse_long("a width", ranks, 1, MOST_RANKS, &out->ranks, err) < 0 ||
        (at && lc_parse_long("a width's nodes", at + 1, 1, MOST_RANKS, &out->nodes, err) < 0))
        return -1;
    if (out->nodes > out->ranks)
        return lc_error_set(err, "width '%s' has more nodes than ranks", text);
    return 0;
}
