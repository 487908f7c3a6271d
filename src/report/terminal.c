/* SPDX-License-Identifier: MIT */
/* terminal.c - a report as tables for a terminal */
#include <math.h>
#include <string.h>

#include "report/arm_table.h"
#include "report/ranking.h"
#include "report/regressions.h"
#include "report/report.h"
#include "report/words.h"
#include "util/clock.h"
#include "util/human.h"
#include "util/table.h"

enum { SLOWER_MOST = 20 };

static void words_add(struct lc_table *table, const char *const *word, size_t count)
{
    lc_table_begin(table, count);
    for (size_t i = 0; i < count; i++)
        lc_table_add(table, "%s", word[i]);
}

static void seconds_add(struct lc_table *table, double s)
{
    lc_table_add(table, "%s", isnan(s) ? "-" : lc_human_seconds(s).s);
}

static void add_count(struct lc_table *table, double n)
{
    lc_table_add(table, "%s", isnan(n) ? "-" : lc_human_count((uint64_t)n).s);
}

static void ratio_add(struct lc_table *table, double ratio)
{
    if (isnan(ratio))
        lc_table_add(table, "-");
    else
        lc_table_add(table, ratio >= 9.95 ? "%.0f x" : "%.2f x", ratio);
}

static void title_print(FILE *out, const char *what, const struct lc_report_point *p, bool mode,
                        bool cache)
{
    fprintf(out, "\n%s: %s", what, lc_words_short(p->name).s);
    if (mode && *p->mode)
        fprintf(out, ", %s", lc_words_short(p->mode).s);
    if (cache)
        fprintf(out, ", %s", *p->cache ? lc_words_short(p->cache).s : "cache unknown");
    fprintf(out, "\n");
}

static void sentence_print(void *arg, const char *sentence)
{
    fprintf(arg, "%s\n", sentence);
}

static void slower_add(struct lc_table *table, const struct lc_regression *one)
{
    const struct lc_report_point *p = one->point;
    char day[32];

    lc_clock_iso(day, sizeof(day), (uint64_t)p->slowdown.since->started_ns);
    lc_table_add(table, "%s", lc_words_short(p->target).s);
    lc_table_add(table, "%s", lc_words_short(p->name).s);
    lc_table_add(table, "%s", lc_words_short(lc_mode_words(p->mode)).s);
    lc_table_add(table, "%s", lc_words_short(p->cache).s);
    lc_table_add(table, "%s", lc_words_short(p->with).s);
    lc_table_add(table, "%s", one->ranks);
    seconds_add(table, p->slowdown.before_s);
    seconds_add(table, p->slowdown.now_s);
    ratio_add(table, p->slowdown.ratio);
    lc_table_add(table, "%.10s", day);
    lc_table_add(table, "%zu+%zu", p->slowdown.runs_before, p->slowdown.runs_since);
}

/* What became slower and has stayed so, over all targets; times are those of the largest
 * number of ranks. */
static int slower_print(const struct lc_report *r, FILE *out)
{
    static const char *const heading[] = {"<target", "<case", "<how it loads", "<cache",
                                          "<with",   "ranks", "before",        "now",
                                          "slower",  "since", "runs"};
    struct lc_regressions slower;
    struct lc_table table;
    int rc = lc_regressions_find(r, &slower);

    if (rc == 0 && slower.count > 0) {
        lc_regressions_describe(r, &slower, sentence_print, out);
        words_add(&table, heading, 11);
        for (size_t i = 0; i < slower.count && i < SLOWER_MOST; i++)
            slower_add(&table, &slower.series[i]);
        lc_table_print(&table, out);
        if (slower.count > SLOWER_MOST)
            fprintf(out, "and %zu more, all in --json\n", slower.count - SLOWER_MOST);
        fprintf(out, "\n");
    }
    lc_regressions_free(&slower);
    return rc;
}

static void ranking_print(const struct lc_view *view, FILE *out)
{
    static const char *const heading[] = {"<target", "plain", "Loadcast", "to the best", "runs"};
    struct lc_ranking ranking = lc_ranking_make(view);
    struct lc_table table;

    if (ranking.rows > 0) {
        fprintf(out, "\nTargets from best to worst: %s", lc_words_short(view->name).s);
        fprintf(out, "%s%s", *view->mode ? ", " : "", lc_words_short(view->mode).s);
        fprintf(out, ", %s, %ld rank%s\n",
                *view->cache ? lc_words_short(view->cache).s : "cache unknown", ranking.ranks,
                ranking.ranks == 1 ? "" : "s");
        words_add(&table, heading, 5);
        for (size_t i = 0; i < ranking.rows; i++) {
            const struct lc_ranked *row = &ranking.row[i];
            lc_table_add(&table, "%s", lc_words_short(row->target).s);
            seconds_add(&table, row->plain ? row->plain->median_s : NAN);
            seconds_add(&table, row->loadcast ? row->loadcast->median_s : NAN);
            ratio_add(&table, row->times_best);
            lc_table_add(&table, "%zu+%zu", row->plain ? row->plain->total.n : 0,
                         row->loadcast ? row->loadcast->total.n : 0);
        }
        lc_table_print(&table, out);
    }
    lc_ranking_free(&ranking);
}

/* A row for one number of ranks: plain and Loadcast; either may be missing. */
static void width_add(struct lc_table *table, const struct lc_report_point *p,
                      const struct lc_report_point *c)
{
    const struct lc_report_point *any = p ? p : c;

    lc_table_add(table, "%s", lc_words_short(any->target).s);
    lc_table_add(table, "%ld", any->ranks);
    lc_table_add(table, "%ld", any->nodes);
    seconds_add(table, p ? p->median_s : NAN);
    seconds_add(table, c ? c->median_s : NAN);
    ratio_add(table, p && c ? p->median_s / c->median_s : NAN);
    add_count(table, p ? p->side[LC_SIDE_OPERATIONS] : NAN);
    add_count(table, c ? c->side[LC_SIDE_OPERATIONS] : NAN);
    seconds_add(table, p ? lc_point_bystander(p) : NAN);
    seconds_add(table, c ? lc_point_bystander(c) : NAN);
    lc_table_add(table, "%zu+%zu", p ? p->total.n : 0, c ? c->total.n : 0);
}

static void missing_print(FILE *out, const struct lc_report_point *p)
{
    const char *reason = lc_arm_reason(p);
    struct lc_buf text = {0};

    lc_buf_escape(&text, reason, strlen(reason));
    fprintf(out, "Not measured: %s: %s\n", lc_words_short(lc_arm_words(p->with)).s,
            lc_buf_text(&text));
    lc_buf_free(&text);
}

static void busy_print(FILE *out, const struct lc_arm_table *t)
{
    struct lc_buf text = {0};

    lc_arm_table_busy(t, &text);
    if (text.len > 0)
        fprintf(out, "%s\n", lc_buf_text(&text));
    lc_buf_free(&text);
}

static void arms_print(void *arg, const struct lc_arm_table *t)
{
    static const char *const heading[] = {"<arm",   "ranks",         "last rank", "requests",
                                          "memory", "after an edit", "<needs"};
    struct lc_table table;
    FILE *out = arg;

    fprintf(out, "\nWhat to tell your users: %s", lc_words_short(t->row[0]->name).s);
    fprintf(out, " on %s, %s\n", lc_words_short(t->row[0]->target).s,
            *t->row[0]->cache ? lc_words_short(t->row[0]->cache).s : "cache unknown");
    words_add(&table, heading, 7);
    for (size_t i = 0; i < t->rows; i++) {
        const struct lc_report_point *p = t->row[i];
        lc_table_add(&table, "%s", lc_words_short(lc_arm_words(p->with)).s);
        lc_table_add(&table, "%ld", p->ranks);
        seconds_add(&table, p->median_s);
        add_count(&table, p->side[LC_SIDE_OPERATIONS]);
        lc_table_add(&table, "%s",
                     isnan(p->side[LC_SIDE_MEMORY])
                         ? "-"
                         : lc_human_bytes((uint64_t)p->side[LC_SIDE_MEMORY]).s);
        seconds_add(&table, p->side[LC_SIDE_EDIT]);
        lc_table_add(&table, "%s", lc_arm_needs(p->with));
    }
    lc_table_print(&table, out);
    busy_print(out, t);
    for (size_t i = 0; i < t->missings; i++)
        missing_print(out, t->missing[i]);
}

static void scaling_print(const struct lc_report *r, const struct lc_view *view, FILE *out)
{
    static const char *const heading[] = {"<target",   "ranks",    "nodes",    "plain",
                                          "Loadcast",  "sooner",   "requests", "Loadcast",
                                          "bystander", "Loadcast", "runs"};
    struct lc_table table;

    title_print(out, "Scaling", view->point[0], true, true);
    words_add(&table, heading, 11);
    for (size_t i = 0; i < view->points; i++) {
        const struct lc_report_point *p = view->point[i];
        bool plain = strcmp(p->with, "plain") == 0;
        const struct lc_report_point *other =
            lc_report_find(r, p, NULL, plain ? "loadcast" : "plain", NULL);
        if (isnan(p->median_s) || (!plain && (other || strcmp(p->with, "loadcast") != 0)))
            continue;
        width_add(&table, plain ? p : NULL, plain ? other : p);
    }
    lc_table_print(&table, out);
}

/* The widest point of the series that starts at 'from' and has a value, or NULL. */
static const struct lc_report_point *point_widest(const struct lc_view *view, size_t from,
                                                  size_t count)
{
    for (size_t i = from + count; i-- > from;)
        if (!view->point[i]->is_twin && !isnan(view->point[i]->median_s))
            return view->point[i];
    return NULL;
}

static void phases_print(const struct lc_view *view, FILE *out)
{
    static const char *const heading[] = {"<target", "<with",  "ranks", "check", "stage", "launch",
                                          "start",   "import", "visit", "rest",  "total"};
    struct lc_table table;

    title_print(out, "Phases of the last rank", view->point[0], true, true);
    words_add(&table, heading, 11);
    for (size_t i = 0, n; i < view->points; i += n) {
        n = lc_view_series(view, i);
        const struct lc_report_point *p = point_widest(view, i, n);
        if (!p)
            continue;
        lc_table_add(&table, "%s", lc_words_short(p->target).s);
        lc_table_add(&table, "%s", lc_words_short(p->with).s);
        lc_table_add(&table, "%ld", p->ranks);
        for (int part = 0; part < LC_PARTS; part++)
            seconds_add(&table, p->part_s[part]);
        seconds_add(&table, p->median_s);
    }
    lc_table_print(&table, out);
}

/* Cold and warm side by side, for the point with most ranks of each series of a cold view. */
static void caches_print(const struct lc_report *r, const struct lc_view *view, FILE *out)
{
    static const char *const heading[] = {"<target", "<with", "ranks", "cold", "warm", "cold/warm"};
    struct lc_table table = {0};

    for (size_t i = 0, n; i < view->points; i += n) {
        n = lc_view_series(view, i);
        const struct lc_report_point *p = point_widest(view, i, n);
        const struct lc_report_point *warm = p ? lc_report_find(r, p, NULL, NULL, "warm") : NULL;
        if (!warm)
            continue;
        if (table.count == 0) {
            title_print(out, "Cold against warm", p, true, false);
            words_add(&table, heading, 6);
        }
        lc_table_add(&table, "%s", lc_words_short(p->target).s);
        lc_table_add(&table, "%s", lc_words_short(p->with).s);
        lc_table_add(&table, "%ld", p->ranks);
        seconds_add(&table, p->median_s);
        seconds_add(&table, warm->median_s);
        ratio_add(&table, p->median_s / warm->median_s);
    }
    if (table.count > 0)
        lc_table_print(&table, out);
}

/* Compares the modes of a case at the largest number of ranks of this view. */
static void modes_print(const struct lc_report *r, const struct lc_view *view, FILE *out)
{
    static const char *const heading[] = {"<target", "<with", "ranks", "<how it loads", "total"};
    struct lc_table table;

    title_print(out, "Linked against imported", view->point[0], false, true);
    words_add(&table, heading, 5);
    for (size_t i = 0, n; i < view->points; i += n) {
        n = lc_view_series(view, i);
        const struct lc_report_point *p = point_widest(view, i, n);
        for (size_t v = 0; p && v < r->views; v++) {
            const struct lc_report_point *other =
                r->view[v].name == p->name && r->view[v].cache == p->cache
                    ? lc_report_find(r, p, r->view[v].mode, NULL, NULL)
                    : NULL;
            if (!other)
                continue;
            lc_table_add(&table, "%s", lc_words_short(p->target).s);
            lc_table_add(&table, "%s", lc_words_short(p->with).s);
            lc_table_add(&table, "%ld", p->ranks);
            lc_table_add(&table, "%s", lc_words_short(lc_mode_words(other->mode)).s);
            seconds_add(&table, other->median_s);
        }
    }
    lc_table_print(&table, out);
}

/* Is this the first view of its case and cache, and are there others? */
static bool view_is_first_of_modes(const struct lc_report *r, size_t at)
{
    const struct lc_view *view = &r->view[at];
    size_t others = 0;

    for (size_t v = 0; v < r->views; v++) {
        bool same = r->view[v].name == view->name && r->view[v].cache == view->cache;
        if (same && v < at)
            return false;
        others += same;
    }
    return others > 1;
}

static void ends_print(const struct lc_report *r, FILE *out)
{
    size_t bad = r->runs - r->ended[LC_RUN_DONE];

    if (bad == 0)
        return;
    fprintf(out, "\n%s of %s runs have no value:", lc_human_count(bad).s,
            lc_human_count(r->runs).s);
    for (int s = 0; s <= LC_RUN_STOPPED; s++)
        if (s != LC_RUN_DONE && r->ended[s])
            fprintf(out, " %zu %s", r->ended[s], lc_run_status_name((enum lc_run_status)s));
    fprintf(out, "; 'loadcast results list --status failed' names them\n");
}

static bool view_has_value(const struct lc_view *view)
{
    for (size_t i = 0; i < view->points; i++)
        if (!isnan(view->point[i]->median_s))
            return true;
    return false;
}

int lc_report_terminal(const struct lc_report *r, FILE *out, struct lc_error *err)
{
    struct lc_headline h;

    if (slower_print(r, out) < 0)
        return lc_error_set(err, "cannot make a report: out of memory");
    lc_headline_make(r, &h);
    fprintf(out, "%s\n(%s)\n", lc_buf_text(&h.sentence), lc_buf_text(&h.conditions));
    lc_headline_free(&h);
    for (size_t v = 0; v < r->views; v++) {
        const struct lc_view *view = &r->view[v];
        if (!view_has_value(view))
            continue;
        ranking_print(view, out);
        lc_arm_tables_of(view, arms_print, out);
        scaling_print(r, view, out);
        phases_print(view, out);
        if (strcmp(view->cache, "cold") == 0)
            caches_print(r, view, out);
        if (view_is_first_of_modes(r, v))
            modes_print(r, view, out);
    }
    ends_print(r, out);
    return fflush(out) || ferror(out) ? lc_error_errno(err, "cannot write the report") : 0;
}
