/* SPDX-License-Identifier: MIT */
/* predict_table.c - a prediction as tables for a terminal */
#include "predict/predict.h"

#include <math.h>
#include <string.h>

#include "util/buf.h"
#include "util/human.h"
#include "util/table.h"

typedef double value_of(const struct lc_estimate *e);

static double worst_of(const struct lc_estimate *e)
{
    return e->worst_s;
}

static double median_of(const struct lc_estimate *e)
{
    return e->median_s;
}

static double rate_of(const struct lc_estimate *e)
{
    return e->requests_per_s;
}

static double bystander_of(const struct lc_estimate *e)
{
    return e->bystander_s;
}

static void width_cell(struct lc_table *t, const struct lc_predicted_width *w)
{
    lc_table_add(t, "%s%s%s", lc_human_count((uint64_t)w->ranks).s, w->is_beyond_machine ? "*" : "",
                 w->is_beyond_fit ? "+" : "");
    lc_table_add(t, "%s", lc_human_count((uint64_t)w->nodes).s);
}

static void print_values(const struct lc_prediction *p, const char *title, value_of *value,
                         bool is_count, FILE *out)
{
    struct lc_table t;

    fprintf(out, "\n%s\n", title);
    lc_table_begin(&t, 2 + LC_REMEDIES);
    lc_table_add(&t, "ranks");
    lc_table_add(&t, "nodes");
    for (int r = 0; r < LC_REMEDIES; r++)
        lc_table_add(&t, "%s", lc_remedy_name((enum lc_remedy)r));
    for (size_t i = 0; i < p->widths; i++) {
        width_cell(&t, &p->width[i]);
        for (int r = 0; r < LC_REMEDIES; r++) {
            double v = value(&p->width[i].of[r]);
            lc_table_add(&t, "%s",
                         is_count ? lc_human_count((uint64_t)(v + 0.5)).s : lc_human_seconds(v).s);
        }
    }
    lc_table_print(&t, out);
}

static void print_marks(const struct lc_prediction *p, FILE *out)
{
    bool machine = false, fit = false;

    for (size_t i = 0; i < p->widths; i++) {
        machine |= p->width[i].is_beyond_machine;
        fit |= p->width[i].is_beyond_fit;
    }
    if (machine)
        fprintf(out,
                "* more than the machine's %s nodes: its servers and network are taken as they "
                "are\n",
                lc_human_count((uint64_t)p->machine->nodes).s);
    if (fit)
        fprintf(out,
                "+ beyond the model's validity: its numbers were fitted to jobs of up to %s "
                "ranks\n",
                lc_human_count((uint64_t)p->machine->fitted_ranks).s);
}

/* The command of a trace or the name of a case may hold anything. */
static void print_title(const struct lc_prediction *p, FILE *out)
{
    struct lc_buf name = {0};
    char headline[400];

    lc_buf_escape(&name, p->job->name, strlen(p->job->name));
    lc_predict_headline(p, headline, sizeof(headline));
    fprintf(out, "loadcast predict: %s on %s\n%s\n\n", lc_buf_text(&name), p->machine->name,
            headline);
    lc_buf_free(&name);
}

static void print_head(const struct lc_prediction *p, FILE *out)
{
    const struct lc_machine_model *m = p->machine;
    const struct lc_job *j = p->job;

    print_title(p, out);
    fprintf(out,
            "a rank:  %s look-ups, %s misses, %s opens, %s in %s files, %s of CPU; the image %s\n",
            lc_human_count((uint64_t)j->lookups).s, lc_human_count((uint64_t)j->misses).s,
            lc_human_count((uint64_t)j->opens).s, lc_human_bytes((uint64_t)j->bytes).s,
            lc_human_count((uint64_t)j->files).s, lc_human_seconds(j->cpu_s).s,
            lc_human_bytes((uint64_t)j->image_bytes).s);
    if (j->note[0])
        fprintf(out, "         (%s)\n", j->note);
    fprintf(out,
            "machine: %s nodes of %s ranks; %g metadata server%s answering %s look-ups, %s misses "
            "or %s opens per second each\n",
            lc_human_count((uint64_t)m->nodes).s, lc_human_count((uint64_t)m->ranks_per_node).s,
            m->meta_servers, m->meta_servers == 1 ? "" : "s",
            lc_human_count((uint64_t)m->lookups_per_s).s,
            lc_human_count((uint64_t)m->misses_per_s).s,
            lc_human_count((uint64_t)m->opens_per_s).s);
    if (m->about.source[0])
        fprintf(out, "source:  %s\nfitted:  %s\nassumed: %s\nerror:   %s\n", m->about.source,
                m->about.fitted, m->about.assumed, m->about.error);
}

static void print_width(FILE *out, long ranks, const char *what)
{
    if (ranks)
        fprintf(out, "%s from %s rank%s on\n", what, lc_human_count((uint64_t)ranks).s,
                ranks == 1 ? "" : "s");
    else
        fprintf(out, "%s at no width up to %s ranks\n", what,
                lc_human_count(LC_PREDICT_MOST_RANKS).s);
}

static void print_thresholds(const struct lc_prediction *p, FILE *out)
{
    char what[80];

    fputc('\n', out);
    print_width(out, p->timeout_ranks, "plain takes longer than a launcher waits (180 s)");
    print_width(out, p->bystander_ranks, "another user's stat takes 1 s or more under plain");
    for (int r = LC_REMEDY_NONE + 1; r < LC_REMEDIES; r++) {
        snprintf(what, sizeof(what), "%s is faster than plain", lc_remedy_name((enum lc_remedy)r));
        print_width(out, p->pays_ranks[r], what);
    }
}

static void print_simulation(const struct lc_prediction *p, FILE *out)
{
    for (size_t i = 0; i < p->widths; i++) {
        const struct lc_predicted_width *w = &p->width[i];
        if (!isnan(w->simulated_s))
            fprintf(out, "chain at %s nodes: %s by the model, %s simulated (%+.0f %%)\n",
                    lc_human_count((uint64_t)w->nodes).s, lc_human_seconds(w->chain_s).s,
                    lc_human_seconds(w->simulated_s).s, 100 * (w->chain_s / w->simulated_s - 1));
    }
    if (p->simulation[0])
        fprintf(out, "%s\n", p->simulation);
}

void lc_predict_table(const struct lc_prediction *p, FILE *out)
{
    print_head(p, out);
    print_values(p, "last rank ready, from the start of the job; launch, check and staging in it",
                 worst_of, false, out);
    print_values(p, "median rank ready", median_of, false, out);
    print_values(p, "requests per second at the metadata servers", rate_of, true, out);
    print_values(p, "another user's stat meanwhile", bystander_of, false, out);
    print_marks(p, out);
    print_thresholds(p, out);
    print_simulation(p, out);
}
