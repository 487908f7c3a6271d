/* SPDX-License-Identifier: MIT */
/* headline.c - the sentence that opens a report, and the conditions under which it holds */
#include <math.h>
#include <string.h>

#include "report/report.h"
#include "util/clock.h"
#include "util/human.h"

/* A point without and with Loadcast. 'runs' is the smaller of their numbers of runs. */
struct pair {
    const struct lc_report_point *plain, *loadcast;
    size_t runs;
};

static bool pair_of(const struct lc_report *r, const struct lc_report_point *plain,
                    struct pair *out)
{
    if (strcmp(plain->with, "plain") != 0 || isnan(plain->median_s))
        return false;
    out->plain = plain;
    out->loadcast = lc_report_find(r, plain, NULL, "loadcast", NULL);
    out->runs = !out->loadcast                            ? 0
                : plain->total.n < out->loadcast->total.n ? plain->total.n
                                                          : out->loadcast->total.n;
    return out->loadcast != NULL;
}

static size_t pair_most_runs(const struct lc_report *r)
{
    struct pair pair;
    size_t most = 0;

    for (size_t i = 0; i < r->points; i++)
        if (pair_of(r, r->point[i], &pair) && pair.runs > most)
            most = pair.runs;
    return most;
}

/* Is a, with this ratio, better to show than b? First cold before warm, then more ranks, then the larger ratio. */
static bool pair_is_better(const struct lc_report_point *a, double ratio,
                           const struct lc_report_point *b, double than)
{
    bool cold = strcmp(a->cache, "cold") == 0, other = b && strcmp(b->cache, "cold") == 0;

    if (!b || cold != other)
        return !b || cold;
    return a->ranks != b->ranks ? a->ranks > b->ranks : ratio > than;
}

/* Chooses the pair to show among those with most runs; pairs with more than four fifths of that
 * number count too. Pairs with a single run on a side are left out. */
static void pair_choose(const struct lc_report *r, struct lc_headline *h)
{
    size_t most = pair_most_runs(r);
    struct pair pair;
    double best = 0;

    h->is_once = most == 1;
    for (size_t i = 0; i < r->points && most > 1; i++) {
        if (!pair_of(r, r->point[i], &pair) || pair.runs < 2 || 5 * pair.runs <= 4 * most)
            continue;
        double ratio = pair.plain->median_s / pair.loadcast->median_s;
        if (pair_is_better(pair.plain, ratio, h->plain, best)) {
            h->plain = pair.plain;
            h->loadcast = pair.loadcast;
            best = ratio;
        }
    }
}

static void ratio_put(struct lc_buf *out, double ratio)
{
    lc_buf_printf(out, ratio >= 9.95 ? "%.0f\u00a0×" : "%.1f\u00a0×", ratio);
}

/* Adds a name, which may have any length and content, shortened to fit into a sentence. */
static void name_put(struct lc_buf *out, const char *name)
{
    size_t len = strlen(name), cut = len > 60 ? 60 : len;

    while (cut > 0 && cut < len && (name[cut] & 0xc0) == 0x80)
        cut--;
    lc_buf_escape(out, name, cut);
    if (cut < len)
        lc_buf_puts(out, "…");
}

static const char *who_answers(const struct lc_report_point *p)
{
    static const char *const served[] = {"lustre", "nfs",   "gpfs", "beegfs",
                                         "ceph",   "storm", "fuse"};

    for (size_t i = 0; i < sizeof(served) / sizeof(*served); i++)
        if ((p->place && strstr(p->place->is.fs_type, served[i])) || strstr(p->target, served[i]))
            return "the metadata server";
    return "the file system";
}

static void requests_put(struct lc_buf *out, const struct lc_headline *h)
{
    double before = h->plain->side[LC_SIDE_OPERATIONS],
           after = h->loadcast->side[LC_SIDE_OPERATIONS];

    if (isnan(before) || isnan(after) || before < 0 || after < 0)
        return;
    lc_buf_printf(out, "; %s saw %s requests instead of %s", who_answers(h->plain),
                  lc_human_count((uint64_t)after).s, lc_human_count((uint64_t)before).s);
}

static void sentence_put(struct lc_headline *h)
{
    double ratio = h->plain->median_s / h->loadcast->median_s;
    struct lc_buf *out = &h->sentence;

    lc_buf_printf(out, "Loadcast started %s rank%s of ",
                  lc_human_count((uint64_t)h->plain->ranks).s, h->plain->ranks == 1 ? "" : "s");
    name_put(out, h->plain->name);
    if (ratio >= 1.05) {
        lc_buf_puts(out, " ");
        ratio_put(out, ratio);
        lc_buf_puts(out, " sooner than plain");
    } else if (ratio > 0.95) {
        lc_buf_puts(out, " as fast as plain");
    } else {
        lc_buf_puts(out, " later than plain: it took ");
        ratio_put(out, 1 / ratio);
        lc_buf_puts(out, " as long");
    }
    requests_put(out, h);
    lc_buf_puts(out, ".");
}

static void brackets_put(struct lc_buf *out, const char *text)
{
    if (!*text)
        return;
    lc_buf_puts(out, " (");
    name_put(out, text);
    lc_buf_puts(out, ")");
}

/* Adds where and when the newest of the runs was made. */
static void place_put(struct lc_buf *out, const struct lc_report_point *p)
{
    char day[32] = "";

    if (p->place && *p->place->is.host) {
        lc_buf_puts(out, "; host ");
        name_put(out, p->place->is.host);
    }
    if (p->runs) {
        lc_clock_iso(day, sizeof(day), (uint64_t)p->run[p->runs - 1]->started_ns);
        lc_buf_printf(out, ", %.10s", day);
    }
}

static void conditions_put(struct lc_headline *h)
{
    const struct lc_report_point *p = h->plain, *c = h->loadcast;
    struct lc_buf *out = &h->conditions;

    lc_buf_printf(out, "%s against %s", lc_human_seconds(c->median_s).s,
                  lc_human_seconds(p->median_s).s);
    lc_buf_puts(out, "; ");
    if (*lc_mode_words(p->mode)) {
        name_put(out, lc_mode_words(p->mode));
        lc_buf_puts(out, ", ");
    }
    lc_buf_puts(out, *p->cache ? p->cache : "cache unknown");
    brackets_put(out, p->how);
    lc_buf_puts(out, " on ");
    name_put(out, p->target);
    brackets_put(out, p->place ? p->place->is.fs_type : "");
    lc_buf_printf(out, ", %ld node%s; until the last rank was ready, check and staging included; ",
                  p->nodes, p->nodes == 1 ? "" : "s");
    lc_buf_printf(out, "median of %zu plain and %zu Loadcast runs", p->total.n, c->total.n);
    place_put(out, c);
    lc_buf_puts(out, ".");
}

static void no_comparison_put(const struct lc_report *r, struct lc_headline *h)
{
    lc_buf_printf(&h->sentence, "%s run%s %s kept here", lc_human_count(r->runs).s,
                  r->runs == 1 ? "" : "s", r->runs == 1 ? "is" : "are");
    lc_buf_puts(&h->sentence,
                !r->runs     ? "."
                : h->is_once ? "; each case was measured both plain and with Loadcast only once."
                             : "; nothing was measured both plain and with Loadcast yet.");
    lc_buf_puts(&h->conditions,
                h->is_once
                    ? "One run each says little: repeat them with loadcast bench --max-runs 6."
                    : "Measure the same case both ways with loadcast bench to compare.");
}

void lc_headline_make(const struct lc_report *r, struct lc_headline *h)
{
    *h = (struct lc_headline){0};
    pair_choose(r, h);
    if (!h->plain) {
        no_comparison_put(r, h);
        return;
    }
    sentence_put(h);
    conditions_put(h);
}

void lc_headline_free(struct lc_headline *h)
{
    lc_buf_free(&h->sentence);
    lc_buf_free(&h->conditions);
}
