/* SPDX-License-Identifier: MIT */
/* bench_suite.c - loadcast bench: a suite from the command line, or one that it changes */
#include <stdlib.h>
#include <string.h>

#include "bench/suite.h"
#include "cmd/bench.h"
#include "util/buf.h"
#include "util/human.h"

static void put(char **place, const char *text)
{
    if (!text)
        return;
    free(*place);
    *place = strdup(text);
}

/* "a,b,c" in place of what was there. */
static void put_list(char ***place, unsigned *count, const char *text)
{
    if (!text)
        return;
    for (unsigned i = 0; i < *count; i++)
        free((*place)[i]);
    free(*place);
    *place = NULL;
    *count = 0;
    while (*text) {
        size_t len = strcspn(text, ",");
        char **more = realloc(*place, (*count + 1) * sizeof(*more));
        if (!more)
            return;
        *place = more;
        more[(*count)++] = strndup(text, len);
        text += len + (text[len] == ',');
    }
}

static int put_number(const char *what, double **place, const char *text, struct lc_error *err)
{
    if (!text)
        return 0;
    if (!*place)
        *place = malloc(sizeof(**place));
    return *place ? lc_parse_double(what, text, 0, 1e9, *place, err)
                  : lc_error_set(err, "out of memory");
}

static int put_count(const char *what, long **place, const char *text, struct lc_error *err)
{
    if (!text)
        return 0;
    if (!*place)
        *place = malloc(sizeof(**place));
    return *place ? lc_parse_long(what, text, 1, 100000, *place, err)
                  : lc_error_set(err, "out of memory");
}

/* The words as one line that a shell could read: what rows keep when there is no file. */
static char *join(char **words)
{
    struct lc_buf text = {0};

    lc_buf_puts(&text, "loadcast");
    for (; *words; words++)
        lc_buf_printf(&text, strpbrk(*words, " \t\"$") ? " '%s'" : " %s", *words);
    return text.data;
}

static int add_case(struct lc_suite *s, const struct lc_bench_words *w, struct lc_error *err)
{
    struct lc_suite_case *c = s->cases = calloc(1, sizeof(*s->cases));

    if (!c)
        return lc_error_set(err, "out of memory");
    s->cases_count = 1;
    put(&c->kind_name, w->kind);
    put(&c->name, w->name);
    put(&c->python, w->python);
    put(&c->env, w->env);
    put(&c->workload, w->workload);
    put(&c->mode, w->mode);
    put(&c->command, w->command);
    put(&c->stage, w->stage);
    c->mpi = w->mpi;
    struct lc_buf list = {0};
    for (size_t i = 0; i < w->packages.count; i++)
        lc_buf_printf(&list, "%s%s", i ? "," : "", w->packages.item[i]);
    put_list(&c->packages, &c->packages_count, list.data);
    lc_buf_free(&list);
    return 0;
}

static int add_storm(struct lc_suite_target *t, const char *text, struct lc_error *err)
{
    const char *scale = strchr(text, ':');

    t->stormfs = calloc(1, sizeof(*t->stormfs));
    if (!t->stormfs)
        return lc_error_set(err, "out of memory");
    t->stormfs->profile = strndup(text, strcspn(text, ":"));
    return put_count("--storm's scale", &t->stormfs->scale, scale ? scale + 1 : NULL, err);
}

static int add_targets(struct lc_suite *s, const struct lc_bench_words *w, struct lc_error *err)
{
    size_t count = w->targets.count + w->storms.count;

    if (count == 0)
        return lc_error_set(err, "where? --target DIR, --storm lustre, or a suite");
    s->targets = calloc(count, sizeof(*s->targets));
    if (!s->targets)
        return lc_error_set(err, "out of memory");
    s->targets_count = (unsigned)count;
    for (size_t i = 0; i < w->targets.count; i++)
        put(&s->targets[i].path, w->targets.item[i]);
    for (size_t i = 0; i < w->storms.count; i++)
        if (add_storm(&s->targets[w->targets.count + i], w->storms.item[i], err) < 0)
            return -1;
    return 0;
}

static struct lc_suite *from_words(const struct lc_bench_words *w, char **whole,
                                   struct lc_error *err)
{
    struct lc_suite *s = NULL;

    if (!w->kind && !w->workload && !w->command && !w->env && w->packages.count == 0) {
        lc_error_set(err,
                     "what? a suite, or e.g. --case python-import --package numpy --target DIR");
        return NULL;
    }
    if (!(s = lc_suite_new())) {
        lc_error_set(err, "out of memory");
        return NULL;
    }
    s->name = strdup("command line");
    s->text = join(whole);
    if (add_case(s, w, err) == 0 && add_targets(s, w, err) == 0)
        return s;
    lc_suite_free(s);
    return NULL;
}

/* With a suite, its cases are meant as they are, but widths are for all of them. */
static int change(struct lc_suite *s, const struct lc_bench_words *w, struct lc_error *err)
{
    put_list(&s->width_texts, &s->width_texts_count, w->widths);
    for (unsigned i = 0; i < s->cases_count && w->widths; i++)
        put_list(&s->cases[i].width_texts, &s->cases[i].width_texts_count, "");
    put_list(&s->caches, &s->caches_count, w->caches);
    put_list(&s->with, &s->with_count, w->with);
    for (unsigned i = 0; i < s->cases_count && w->launcher; i++)
        put(&s->cases[i].launcher, w->launcher);
    put(&s->bytecode, w->bytecode);
    for (unsigned i = 0; i < s->cases_count; i++) {
        put(&s->cases[i].timeout_text, w->timeout);
        put(&s->cases[i].stop_above_text, w->stop_above);
    }
    if (w->no_count && !s->count)
        s->count = malloc(sizeof(*s->count));
    if (w->no_count && s->count)
        *s->count = false;
    return put_number("--precision", &s->precision, w->precision, err) < 0 ||
                   put_number("--bystander-limit", &s->bystander_limit, w->bystander_limit, err) <
                       0 ||
                   put_count("--max-runs", &s->max_runs, w->max_runs, err) < 0
               ? -1
               : 0;
}

struct lc_suite *lc_bench_suite(const char *file, const struct lc_bench_words *words, char **whole,
                                struct lc_error *err)
{
    struct lc_suite *s = file ? lc_suite_read(file, err) : from_words(words, whole, err);

    if (s && change(s, words, err) == 0 && lc_suite_check(s, err) == 0)
        return s;
    lc_suite_free(s);
    return NULL;
}

int lc_bench_plan_print(const struct lc_suite *suite, FILE *out)
{
    for (unsigned t = 0; t < suite->targets_count; t++)
        for (unsigned i = 0; i < suite->cases_count; i++) {
            const struct lc_suite_case *c = &suite->cases[i];
            fprintf(out, "%s%s%s on %s:", c->name, c->mode ? " " : "", c->mode ? c->mode : "",
                    suite->targets[t].name);
            for (size_t w = 0; w < c->width_count; w++) {
                fprintf(out, " %ld", c->widths[w].ranks);
                if (c->widths[w].nodes)
                    fprintf(out, "@%ld", c->widths[w].nodes);
            }
            fprintf(out, " ranks;");
            for (unsigned k = 0; k < suite->caches_count; k++)
                fprintf(out, " %s", suite->caches[k]);
            fprintf(out, ";");
            for (unsigned k = 0; k < suite->with_count; k++)
                fprintf(out, " %s", suite->with[k]);
            fprintf(out, "; at most %ld runs each\n", *suite->max_runs);
        }
    return LC_EXIT_OK;
}
