/* SPDX-License-Identifier: MIT */
/* suite_check.c - fill in defaults of a suite and check its values */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/arm_ops.h"
#include "bench/suite.h"
#include "launch/width.h"
#include "util/human.h"
#include "util/nearest.h"
#include "util/path.h"

enum { DEFAULT_TIMEOUT_S = 600 };

static const char *const kinds[] = {"python-import", "workload", "cloadtest",
                                    "command",       "dummy",    NULL};
static const char *const cache_names[] = {"cold", "warm", "found", NULL};
static const char *const bytecodes[] = {"compile", "exclude", "keep", NULL};

static int default_text(char **text, const char *value)
{
    if (!*text)
        *text = strdup(value);
    return *text ? 0 : -1;
}

static int default_number(double **number, double value)
{
    if (!*number && (*number = malloc(sizeof(**number))))
        **number = value;
    return *number ? 0 : -1;
}

static int default_count(long **count, long value)
{
    if (!*count && (*count = malloc(sizeof(**count))))
        **count = value;
    return *count ? 0 : -1;
}

static int default_texts(char ***text, unsigned *count, const char *const *value)
{
    if (*count > 0)
        return 0;
    for (; value[*count]; (*count)++) {
        char **more = realloc(*text, (*count + 1) * sizeof(*more));
        if (!more || !(more[*count] = strdup(value[*count])))
            return -1;
        *text = more;
    }
    return 0;
}

static int name_index(const char *what, const char *text, const char *const *names,
                      struct lc_error *err)
{
    for (size_t i = 0; names[i]; i++)
        if (strcmp(text, names[i]) == 0)
            return (int)i;
    const char *near = lc_nearest(text, names);
    char list[200] = "";
    for (size_t i = 0; names[i] && !near; i++)
        snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s", i ? ", " : "", names[i]);
    return near ? lc_error_set(err, "%s '%s' is unknown; did you mean '%s'?", what, text, near)
                : lc_error_set(err, "%s '%s' is unknown; there are: %s", what, text, list);
}

static int names_check(const char *what, char **text, unsigned count, const char *const *names,
                       struct lc_error *err)
{
    for (unsigned i = 0; i < count; i++)
        if (name_index(what, text[i], names, err) < 0)
            return -1;
    return 0;
}

/* An arm named twice would be two series with the same key. */
static int check_arms(const struct lc_suite *suite, struct lc_error *err)
{
    enum { MOST = 32 };
    const char *names[MOST] = {NULL};

    for (size_t i = 0; lc_arms[i] && i < MOST - 1; i++)
        names[i] = lc_arms[i]->name;
    if (names_check("'with'", suite->with, suite->with_count, names, err) < 0)
        return -1;
    for (unsigned i = 0; i < suite->with_count; i++)
        for (unsigned k = 0; k < i; k++)
            if (strcmp(suite->with[i], suite->with[k]) == 0)
                return lc_error_set(err, "'with' names '%s' twice", suite->with[i]);
    return 0;
}

static int compare_widths(const void *a, const void *b)
{
    const struct lc_width *x = a, *y = b;

    return x->ranks != y->ranks ? (x->ranks > y->ranks) - (x->ranks < y->ranks)
                                : (x->nodes > y->nodes) - (x->nodes < y->nodes);
}

/* Parses the widths of the case, else of the suite; ascending. */
static int read_widths(const struct lc_suite *suite, struct lc_suite_case *c, struct lc_error *err)
{
    char **text = c->width_texts_count ? c->width_texts : suite->width_texts;
    unsigned count = c->width_texts_count ? c->width_texts_count : suite->width_texts_count;

    free(c->widths); /* from an earlier check, before command-line options were applied */
    c->widths = calloc(count, sizeof(*c->widths));
    for (unsigned i = 0; c->widths && i < count; i++)
        if (lc_width_parse(text[i], &c->widths[i], err) < 0)
            return -1;
    if (!c->widths)
        return lc_error_set(err, "out of memory");
    c->width_count = count;
    qsort(c->widths, count, sizeof(*c->widths), compare_widths);
    return 0;
}

static int read_seconds(const char *what, const char *own, const char *suites, double otherwise,
                        double *out, struct lc_error *err)
{
    const char *text = own ? own : suites;

    *out = otherwise;
    return text ? lc_parse_seconds(what, text, 0.001, 1e7, out, err) : 0;
}

static int key_require(const struct lc_suite_case *c, const char *value, const char *key,
                       const char *example, struct lc_error *err)
{
    return value ? 0
                 : lc_error_set(err, "case '%s' of kind %s needs '%s: %s'", c->name, c->kind_name,
                                key, example);
}

static int check_kind(struct lc_suite_case *c, struct lc_error *err)
{
    static const char *const numpy[] = {"numpy", NULL};

    switch (c->kind) {
    case LC_CASE_IMPORT:
        return default_texts(&c->packages, &c->packages_count, numpy);
    case LC_CASE_WORKLOAD:
        if (default_text(&c->mode, "pyMPI") < 0)
            return -1;
        return key_require(c, c->workload, "workload", "DIR (made by 'loadcast gen')", err);
    case LC_CASE_CLOADTEST:
        if (default_text(&c->mode, "cloadtest") < 0)
            return -1;
        return key_require(c, c->workload, "workload", "DIR (made by 'loadcast gen')", err);
    case LC_CASE_COMMAND:
        return key_require(c, c->command, "command", "./program {target}/input", err);
    case LC_CASE_DUMMY:
        break;
    }
    return 0;
}

static int check_case(const struct lc_suite *suite, struct lc_suite_case *c, struct lc_error *err)
{
    if (default_text(&c->kind_name, c->workload  ? "workload"
                                    : c->command ? "command"
                                                 : "python-import") < 0)
        return lc_error_set(err, "out of memory");
    int kind = name_index("the kind of a case,", c->kind_name, kinds, err);
    if (kind < 0)
        return -1;
    c->kind = (enum lc_case_kind)kind;
    if (check_kind(c, err) < 0 ||
        (!c->name && kind == LC_CASE_IMPORT && !(c->name = strdup(c->packages[0]))) ||
        default_text(&c->name, c->workload ? lc_path_base(c->workload) : c->kind_name) < 0 ||
        default_text(&c->launcher, suite->launcher) < 0 || default_number(&c->weight, 1) < 0)
        return -1;
    if (lc_width_check(c->launcher, err) < 0)
        return -1;
    return read_widths(suite, c, err) < 0 ||
                   read_seconds("timeout", c->timeout_text, suite->timeout_text, DEFAULT_TIMEOUT_S,
                                &c->timeout_s, err) < 0 ||
                   read_seconds("stop_above", c->stop_above_text, suite->stop_above_text, 0,
                                &c->stop_above_s, err) < 0
               ? -1
               : 0;
}

static int check_storm(const struct lc_suite_target *t, struct lc_error *err)
{
    static const char *const profiles[] = {"none", "local", "nfs", "lustre", NULL};

    if (t->stormfs->profile &&
        name_index("profile of stormfs", t->stormfs->profile, profiles, err) < 0)
        return -1;
    if (t->stormfs->scale && *t->stormfs->scale < 1)
        return lc_error_set(err, "target '%s': scale must be at least 1", t->name);
    return 0;
}

static int check_target(struct lc_suite_target *t, struct lc_error *err)
{
    if (!t->path && !t->stormfs)
        return lc_error_set(err, "target '%s' needs 'path: DIR' or 'stormfs: {profile: lustre}'",
                            t->name ? t->name : "?");
    if (!t->name && t->stormfs && t->stormfs->profile)
        if (asprintf(&t->name, "stormfs %s", t->stormfs->profile) < 0)
            t->name = NULL;
    if (default_text(&t->name, t->stormfs ? "stormfs" : t->path) < 0 ||
        default_number(&t->weight, 1) < 0)
        return lc_error_set(err, "out of memory");
    if (t->in_place && t->stormfs)
        return lc_error_set(err, "target '%s': in_place needs a directory, not a stormfs", t->name);
    return t->stormfs ? check_storm(t, err) : 0;
}

/* Names must be unique: they identify rows in the results. */
static int check_names(const struct lc_suite *suite, struct lc_error *err)
{
    for (unsigned i = 0; i < suite->targets_count; i++)
        for (unsigned k = 0; k < i; k++)
            if (strcmp(suite->targets[i].name, suite->targets[k].name) == 0)
                return lc_error_set(err, "two targets are named '%s'", suite->targets[i].name);
    for (unsigned i = 0; i < suite->cases_count; i++)
        for (unsigned k = 0; k < i; k++)
            if (strcmp(suite->cases[i].name, suite->cases[k].name) == 0 &&
                suite->cases[i].mode == NULL)
                return lc_error_set(err, "two cases are named '%s'; give them a 'name:'",
                                    suite->cases[i].name);
    return 0;
}

static int set_defaults(struct lc_suite *suite)
{
    static const char *const one[] = {"1", NULL}, *const plain[] = {"plain", NULL};
    static const char *const both[] = {"cold", "warm", NULL};
    bool *count = suite->count ? suite->count : malloc(sizeof(*count));

    if (count && !suite->count)
        *count = true;
    suite->count = count;
    return !count || default_text(&suite->name, "suite") < 0 ||
                   default_text(&suite->launcher, "auto") < 0 ||
                   default_text(&suite->bytecode, "compile") < 0 ||
                   default_text(&suite->text, "") < 0 ||
                   default_number(&suite->precision, 0.05) < 0 ||
                   default_number(&suite->bystander_limit, 10) < 0 ||
                   default_count(&suite->min_runs, 1) < 0 ||
                   default_count(&suite->max_runs, 10) < 0 ||
                   default_texts(&suite->width_texts, &suite->width_texts_count, one) < 0 ||
                   default_texts(&suite->caches, &suite->caches_count, both) < 0 ||
                   default_texts(&suite->with, &suite->with_count, plain) < 0
               ? -1
               : 0;
}

static int check_numbers(const struct lc_suite *suite, struct lc_error *err)
{
    if (*suite->precision < 0 || *suite->precision > 10)
        return lc_error_set(err, "precision %g is not within 0 to 10; 0.05 means 5 %%",
                            *suite->precision);
    if (*suite->max_runs < 1 || *suite->max_runs > 100000)
        return lc_error_set(err, "max_runs %ld is not within 1 to 100000", *suite->max_runs);
    if (*suite->min_runs < 1 || *suite->min_runs > *suite->max_runs)
        return lc_error_set(err, "min_runs %ld is not within 1 to max_runs", *suite->min_runs);
    if (*suite->bystander_limit != 0 && *suite->bystander_limit < 1)
        return lc_error_set(err, "bystander_limit %g is neither 0 (never stop) nor at least 1",
                            *suite->bystander_limit);
    return 0;
}

int lc_suite_check(struct lc_suite *suite, struct lc_error *err)
{
    if (set_defaults(suite) < 0)
        return lc_error_set(err, "out of memory");
    if (suite->cases_count == 0 || suite->targets_count == 0)
        return lc_error_set(err, "a suite needs cases and targets; see doc/suite.md");
    if (names_check("cache", suite->caches, suite->caches_count, cache_names, err) < 0 ||
        check_arms(suite, err) < 0 || name_index("bytecode", suite->bytecode, bytecodes, err) < 0 ||
        check_numbers(suite, err) < 0)
        return -1;
    for (unsigned i = 0; i < suite->targets_count; i++)
        if (check_target(&suite->targets[i], err) < 0)
            return -1;
    for (unsigned i = 0; i < suite->cases_count; i++)
        if (check_case(suite, &suite->cases[i], err) < 0)
            return -1;
    return check_names(suite, err);
}
