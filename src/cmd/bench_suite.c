/* SPDX-License-Identifier: MIT */
/* bench_suite.c - loadcast bench: make a suite from the command line, or change one by it */
#include <stdlib.h>
#include <string.h>

#include "bench/pick.h"
#include "bench/suite.h"
#include "cmd/bench.h"
#include "util/buf.h"
#include "util/human.h"

static void text_set(char **place, const char *text)
{
    if (!text)
        return;
    free(*place);
    *place = strdup(text);
}

/* Replace a list by the elements of "a,b,c". */
static void list_set(char ***place, unsigned *count, const char *text)
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

static int number_set(const char *what, double **place, const char *text, struct lc_error *err)
{
    if (!text)
        return 0;
    if (!*place)
        *place = malloc(sizeof(**place));
    return *place ? lc_parse_double(what, text, 0, 1e9, *place, err)
                  : lc_error_set(err, "out of memory");
}

static int count_set(const char *what, long **place, const char *text, struct lc_error *err)
{
    if (!text)
        return 0;
    if (!*place)
        *place = malloc(sizeof(**place));
    return *place ? lc_parse_long(what, text, 1, 100000, *place, err)
                  : lc_error_set(err, "out of memory");
}

/* The words as one line that a shell can read; it is stored with each run if there is no suite
 * file. */
static char *words_join(char **words)
{
    struct lc_buf text = {0};

    lc_buf_puts(&text, "loadcast");
    for (; *words; words++)
        if (strcmp(*words, "--resume") != 0) /* the same suite, so that it can be found */
            lc_buf_printf(&text, strpbrk(*words, " \t\"$") ? " '%s'" : " %s", *words);
    return text.data;
}

static int case_add(struct lc_suite *s, const struct lc_bench_words *w, struct lc_error *err)
{
    struct lc_suite_case *c = s->cases = calloc(1, sizeof(*s->cases));

    if (!c)
        return lc_error_set(err, "out of memory");
    s->cases_count = 1;
    text_set(&c->kind_name, w->kind);
    text_set(&c->name, w->name);
    text_set(&c->python, w->python);
    text_set(&c->env, w->env);
    text_set(&c->workload, w->workload);
    text_set(&c->mode, w->mode);
    text_set(&c->command, w->command);
    text_set(&c->stage, w->stage);
    c->mpi = w->mpi;
    struct lc_buf list = {0};
    for (size_t i = 0; i < w->packages.count; i++)
        lc_buf_printf(&list, "%s%s", i ? "," : "", w->packages.item[i]);
    list_set(&c->packages, &c->packages_count, list.data);
    lc_buf_free(&list);
    return 0;
}

static int storm_add(struct lc_suite_target *t, const char *text, struct lc_error *err)
{
    const char *scale = strchr(text, ':');

    t->stormfs = calloc(1, sizeof(*t->stormfs));
    if (!t->stormfs)
        return lc_error_set(err, "out of memory");
    t->stormfs->profile = strndup(text, strcspn(text, ":"));
    return count_set("--storm's scale", &t->stormfs->scale, scale ? scale + 1 : NULL, err);
}

static int targets_add(struct lc_suite *s, const struct lc_bench_words *w, struct lc_error *err)
{
    size_t count = w->targets.count + w->storms.count;

    if (count == 0)
        return lc_error_set(err, "where? --target DIR, --storm lustre, or a suite");
    s->targets = calloc(count, sizeof(*s->targets));
    if (!s->targets)
        return lc_error_set(err, "out of memory");
    s->targets_count = (unsigned)count;
    for (size_t i = 0; i < w->targets.count; i++)
        text_set(&s->targets[i].path, w->targets.item[i]);
    for (size_t i = 0; i < w->storms.count; i++)
        if (storm_add(&s->targets[w->targets.count + i], w->storms.item[i], err) < 0)
            return -1;
    return 0;
}

static struct lc_suite *suite_from_words(const struct lc_bench_words *w, char **whole,
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
    s->text = words_join(whole);
    if (case_add(s, w, err) == 0 && targets_add(s, w, err) == 0)
        return s;
    lc_suite_free(s);
    return NULL;
}

/* Options that change a suite from a file: the cases stay as they are, and widths apply to all of
 * them. */
static int suite_change(struct lc_suite *s, const struct lc_bench_words *w, struct lc_error *err)
{
    list_set(&s->width_texts, &s->width_texts_count, w->widths);
    for (unsigned i = 0; i < s->cases_count && w->widths; i++)
        list_set(&s->cases[i].width_texts, &s->cases[i].width_texts_count, "");
    list_set(&s->caches, &s->caches_count, w->caches);
    list_set(&s->with, &s->with_count, w->with);
    for (unsigned i = 0; i < s->cases_count && w->launcher; i++)
        text_set(&s->cases[i].launcher, w->launcher);
    text_set(&s->bytecode, w->bytecode);
    for (unsigned i = 0; i < s->cases_count; i++) {
        text_set(&s->cases[i].timeout_text, w->timeout);
        text_set(&s->cases[i].stop_above_text, w->stop_above);
    }
    if (w->no_count && !s->count)
        s->count = malloc(sizeof(*s->count));
    if (w->no_count && s->count)
        *s->count = false;
    return number_set("--precision", &s->precision, w->precision, err) < 0 ||
                   number_set("--bystander-limit", &s->bystander_limit, w->bystander_limit, err) <
                       0 ||
                   count_set("--max-runs", &s->max_runs, w->max_runs, err) < 0
               ? -1
               : 0;
}

struct lc_suite *lc_bench_suite(const char *file, const struct lc_bench_words *words, char **whole,
                                struct lc_error *err)
{
    struct lc_suite *s = file ? lc_suite_read(file, err) : suite_from_words(words, whole, err);

    if (s && suite_change(s, words, err) == 0 && lc_suite_check(s, err) == 0)
        return s;
    lc_suite_free(s);
    return NULL;
}

void lc_bench_plan_print(const struct lc_suite *suite, const struct lc_picks *picks, FILE *out)
{
    for (unsigned t = 0; t < suite->targets_count; t++)
        for (unsigned i = 0; i < suite->cases_count; i++) {
            const struct lc_suite_case *c = &suite->cases[i];
            if (!lc_picks_has(picks, i, t))
                continue;
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
}
