/* SPDX-License-Identifier: MIT */
/* predict.c - a job on a machine at several widths, and the widths at which something happens */
#include "predict/predict.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "predict/staging.h"
#include "util/human.h"

/* A curve fitted to some width may be believed to a few times that width. */
static const double BELIEVED = 8;

typedef bool condition(const struct lc_prediction *p, enum lc_remedy remedy, double ranks);

static struct lc_estimate estimate(const struct lc_prediction *p, enum lc_remedy remedy,
                                   double ranks)
{
    return lc_model_estimate(p->machine, p->job, remedy, ranks);
}

static bool is_too_late(const struct lc_prediction *p, enum lc_remedy remedy, double ranks)
{
    return estimate(p, remedy, ranks).worst_s > LC_PREDICT_TIMEOUT_S;
}

static bool is_disturbing(const struct lc_prediction *p, enum lc_remedy remedy, double ranks)
{
    return estimate(p, remedy, ranks).bystander_s >= LC_PREDICT_BYSTANDER_S;
}

static bool has_paid(const struct lc_prediction *p, enum lc_remedy remedy, double ranks)
{
    return estimate(p, remedy, ranks).worst_s < estimate(p, LC_REMEDY_NONE, ranks).worst_s;
}

/* The least number of ranks at which the condition holds: by doubling, then between the last two.
 * A condition that comes and goes is found where it first holds at a power of two. */
static long first_ranks(const struct lc_prediction *p, condition *holds, enum lc_remedy remedy)
{
    long low = 0, high = 1;

    while (!holds(p, remedy, (double)high)) {
        if (high == LC_PREDICT_MOST_RANKS)
            return 0;
        low = high;
        high = high * 2 < LC_PREDICT_MOST_RANKS ? high * 2 : LC_PREDICT_MOST_RANKS;
    }
    while (high - low > 1) {
        long middle = low + (high - low) / 2;
        if (holds(p, remedy, (double)middle))
            high = middle;
        else
            low = middle;
    }
    return high;
}

bool lc_predict_is_beyond_machine(const struct lc_machine_model *m, double ranks)
{
    return lc_model_nodes(m, ranks) > m->nodes;
}

bool lc_predict_is_beyond_fit(const struct lc_machine_model *m, double ranks)
{
    return m->fitted_ranks > 0 && ranks > BELIEVED * m->fitted_ranks;
}

static void width_fill(struct lc_prediction *p, struct lc_predicted_width *w, long ranks)
{
    const struct lc_machine_model *m = p->machine;

    *w = (struct lc_predicted_width){.ranks = ranks, .simulated_s = NAN};
    w->nodes = (long)lc_model_nodes(m, (double)ranks);
    for (int r = 0; r < LC_REMEDIES; r++)
        w->of[r] = estimate(p, (enum lc_remedy)r, (double)ranks);
    w->is_beyond_machine = lc_predict_is_beyond_machine(m, (double)ranks);
    w->is_beyond_fit = lc_predict_is_beyond_fit(m, (double)ranks);
    w->chain_s = lc_stage_chain_messages_s(m, (double)w->nodes, p->job->image_bytes);
}

void lc_predict(struct lc_prediction *p, const struct lc_machine_model *machine,
                const struct lc_job *job, const long *ranks, size_t count)
{
    *p = (struct lc_prediction){.machine = machine, .job = job};
    for (size_t i = 0; i < count && i < LC_PREDICT_WIDTHS; i++)
        width_fill(p, &p->width[p->widths++], ranks[i]);
    p->timeout_ranks = first_ranks(p, is_too_late, LC_REMEDY_NONE);
    p->bystander_ranks = first_ranks(p, is_disturbing, LC_REMEDY_NONE);
    for (int r = LC_REMEDY_NONE + 1; r < LC_REMEDIES; r++)
        p->pays_ranks[r] = first_ranks(p, has_paid, (enum lc_remedy)r);
}

static int ranks_compare(const void *a, const void *b)
{
    long x = *(const long *)a, y = *(const long *)b;

    return (x > y) - (x < y);
}

size_t lc_predict_default_widths(const struct lc_machine_model *m, long *ranks, size_t most)
{
    const long usual[] = {1, 24, 256, 1024, 4096, 24000, 100000, LC_PREDICT_MOST_RANKS};
    const double all = m->nodes * m->ranks_per_node;
    size_t n = 0, unique = 0;

    for (size_t i = 0; i < sizeof(usual) / sizeof(*usual) && n + 1 < most; i++)
        ranks[n++] = usual[i];
    if (all <= LC_PREDICT_MOST_RANKS)
        ranks[n++] = (long)all; /* the whole machine */
    qsort(ranks, n, sizeof(*ranks), ranks_compare);
    for (size_t i = 0; i < n; i++)
        if (unique == 0 || ranks[i] != ranks[unique - 1])
            ranks[unique++] = ranks[i];
    return unique;
}

static enum lc_remedy best_of(const struct lc_predicted_width *w)
{
    enum lc_remedy best = LC_REMEDY_RANKS;

    for (int r = LC_REMEDY_RANKS; r < LC_REMEDIES; r++)
        if (w->of[r].worst_s < w->of[best].worst_s)
            best = (enum lc_remedy)r;
    return best;
}

/* The widest width that the machine has, or the first. */
static const struct lc_predicted_width *widest_of(const struct lc_prediction *p)
{
    const struct lc_predicted_width *widest = &p->width[0];

    for (size_t i = 0; i < p->widths; i++)
        if (!p->width[i].is_beyond_machine && p->width[i].ranks > widest->ranks)
            widest = &p->width[i];
    return widest;
}

void lc_predict_headline(const struct lc_prediction *p, char *out, size_t size)
{
    const struct lc_predicted_width *w = widest_of(p);
    enum lc_remedy best = best_of(w);

    snprintf(out, size,
             "%s rank%s on %s would be ready after %s plainly, and after %s with Loadcast (%s).",
             lc_human_count((uint64_t)w->ranks).s, w->ranks == 1 ? "" : "s", p->machine->name,
             lc_human_seconds(w->of[LC_REMEDY_NONE].worst_s).s,
             lc_human_seconds(w->of[best].worst_s).s, lc_remedy_name(best));
}
