/* SPDX-License-Identifier: MIT */
/* html_tables.c - tables of the page: what became slower, targets from best to worst, arms side by
 * side */
#include <math.h>
#include <string.h>

#include "report/arm_table.h"
#include "report/axis.h"
#include "report/html.h"
#include "report/ranking.h"
#include "report/regressions.h"
#include "util/clock.h"
#include "util/human.h"

enum { SLOWER_MOST = 60 };

static void heading_put(struct lc_buf *out, const char *const *heading, size_t count, size_t words)
{
    lc_buf_puts(out, "<thead><tr>");
    for (size_t i = 0; i < count; i++)
        lc_buf_printf(out, "<th scope=\"col\"%s>%s</th>", i >= words ? " class=\"n\"" : "",
                      heading[i]);
    lc_buf_puts(out, "</tr></thead><tbody>\n");
}

static void cell_put(struct lc_buf *out, const char *bytes)
{
    lc_buf_puts(out, "<td>");
    lc_html_text_cut(out, bytes, 60);
    lc_buf_puts(out, "</td>");
}

static void seconds_put(struct lc_buf *out, double s)
{
    lc_buf_printf(out, "<td class=\"n\">%s</td>", isnan(s) ? "–" : lc_short_seconds(s).s);
}

static void ratio_put(struct lc_buf *out, double ratio)
{
    lc_buf_puts(out, "<td class=\"n\">");
    if (isnan(ratio))
        lc_buf_puts(out, "–");
    else
        lc_buf_printf(out, ratio >= 9.95 ? "%.0f\u00a0×" : "%.2f\u00a0×", ratio);
    lc_buf_puts(out, "</td>");
}

static size_t view_of(const struct lc_report *r, const struct lc_report_point *p)
{
    for (size_t v = 0; v < r->views; v++)
        if (r->view[v].name == p->name && r->view[v].mode == p->mode &&
            r->view[v].cache == p->cache)
            return v;
    return r->views;
}

/* A link to the diagrams of the case and target. */
static void link_put(struct lc_buf *out, const struct lc_report *r, const struct lc_report_point *p)
{
    size_t v = view_of(r, p);
    struct lc_targets targets = lc_view_targets(r, &r->view[v]);
    size_t t = 0;

    while (t < targets.count && targets.name[t] != p->target)
        t++;
    lc_buf_printf(out, "<td><a class=\"go\" href=\"#view-%zu\" data-target=\"%zu\">", v,
                  t < targets.count ? t : targets.first);
    lc_html_text_cut(out, p->name, 60);
    lc_buf_puts(out, "</a></td>");
}

static void slower_put(struct lc_buf *out, const struct lc_report *r,
                       const struct lc_regression *one)
{
    const struct lc_report_point *p = one->point;
    char day[32];

    lc_clock_iso(day, sizeof(day), (uint64_t)p->slowdown.since->started_ns);
    lc_buf_puts(out, "<tr>");
    cell_put(out, p->target);
    link_put(out, r, p);
    cell_put(out, lc_mode_words(p->mode));
    cell_put(out, p->cache);
    cell_put(out, lc_arm_words(p->with));
    lc_buf_printf(out, "<td class=\"n\">%s</td>", one->ranks);
    seconds_put(out, p->slowdown.before_s);
    seconds_put(out, p->slowdown.now_s);
    ratio_put(out, p->slowdown.ratio);
    lc_buf_printf(out, "<td class=\"n\">%.10s</td><td class=\"n\">%zu + %zu</td></tr>\n", day,
                  p->slowdown.runs_before, p->slowdown.runs_since);
}

static void sentence_put(void *arg, const char *sentence)
{
    lc_buf_puts(arg, "<p class=\"alarm\">");
    lc_html_text(arg, sentence);
    lc_buf_puts(arg, "</p>\n");
}

static void put_all_slower(struct lc_buf *out, const struct lc_report *r,
                           const struct lc_regressions *slower)
{
    static const char *const heading[] = {"Target", "Case", "Loads",  "Cache", "With", "Ranks",
                                          "Before", "Now",  "Slower", "Since", "Runs"};

    lc_buf_puts(out, "<section class=\"regressions\">\n");
    lc_regressions_describe(r, slower, sentence_put, out);
    lc_buf_puts(out,
                "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"What became "
                "slower\"><table>");
    heading_put(out, heading, 11, 5);
    for (size_t i = 0; i < slower->count && i < SLOWER_MOST; i++)
        slower_put(out, r, &slower->series[i]);
    lc_buf_puts(out, "</tbody></table></div>\n");
    if (slower->count > SLOWER_MOST)
        lc_buf_printf(out, "<p class=\"note\">%zu more are in the output of --json.</p>\n",
                      slower->count - SLOWER_MOST);
    lc_buf_puts(out, "</section>\n");
}

void lc_html_regressions(struct lc_buf *out, const struct lc_report *r)
{
    struct lc_regressions slower;

    if (lc_regressions_find(r, &slower) < 0)
        out->failed = true;
    else if (slower.count > 0)
        put_all_slower(out, r, &slower);
    lc_regressions_free(&slower);
}

static void ranked_put(struct lc_buf *out, const struct lc_ranked *row)
{
    const char *fs = row->plain && row->plain->place         ? row->plain->place->is.fs_type
                     : row->loadcast && row->loadcast->place ? row->loadcast->place->is.fs_type
                                                             : "";

    lc_buf_puts(out, "<tr>");
    cell_put(out, row->target);
    cell_put(out, fs);
    seconds_put(out, row->plain ? row->plain->median_s : NAN);
    seconds_put(out, row->loadcast ? row->loadcast->median_s : NAN);
    ratio_put(out, row->times_best);
    lc_buf_printf(out, "<td class=\"n\">%zu + %zu</td></tr>\n",
                  row->plain ? row->plain->total.n : 0, row->loadcast ? row->loadcast->total.n : 0);
}

static void arm_put(struct lc_buf *out, const struct lc_report_point *p)
{
    double requests = p->side[LC_SIDE_OPERATIONS], memory = p->side[LC_SIDE_MEMORY];

    lc_buf_puts(out, "<tr>");
    cell_put(out, lc_arm_words(p->with));
    lc_buf_puts(out, "<td>");
    lc_html_text(out, lc_arm_needs(p->with));
    lc_buf_puts(out, "</td>");
    seconds_put(out, p->median_s);
    lc_buf_printf(out, "<td class=\"n\">%s</td>",
                  isnan(requests) ? "–" : lc_human_count((uint64_t)requests).s);
    lc_buf_printf(out, "<td class=\"n\">%s</td>",
                  isnan(memory) ? "–" : lc_human_bytes((uint64_t)memory).s);
    seconds_put(out, p->side[LC_SIDE_EDIT]);
    lc_buf_puts(out, "</tr>\n");
}

static void missing_put(struct lc_buf *out, const struct lc_report_point *p)
{
    lc_buf_puts(out, "<p>Not measured: ");
    lc_html_text_cut(out, lc_arm_words(p->with), 40);
    lc_buf_puts(out, ": ");
    lc_html_text_cut(out, lc_arm_reason(p), 200);
    lc_buf_puts(out, "</p>\n");
}

static void busy_put(struct lc_buf *out, const struct lc_arm_table *t)
{
    struct lc_buf text = {0};

    lc_arm_table_busy(t, &text);
    if (text.len > 0) {
        lc_buf_puts(out, "<p>");
        lc_html_text(out, lc_buf_text(&text));
        lc_buf_puts(out, "</p>\n");
    }
    lc_buf_free(&text);
}

static void arms_put(void *arg, const struct lc_arm_table *t)
{
    static const char *const heading[] = {"Arm",      "Needs",           "Last rank ready",
                                          "Requests", "Memory per node", "After an edit"};
    struct lc_buf *out = arg;

    lc_buf_puts(out, "<h3>What to tell your users: ");
    lc_html_text_cut(out, t->row[0]->name, 60);
    lc_buf_puts(out, " on ");
    lc_html_text_cut(out, t->row[0]->target, 60);
    lc_buf_printf(out,
                  ", %ld rank%s</h3>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
                  "aria-label=\"What to tell your users\"><table class=\"arms\">",
                  t->ranks, t->ranks == 1 ? "" : "s");
    heading_put(out, heading, 6, 2);
    for (size_t i = 0; i < t->rows; i++)
        arm_put(out, t->row[i]);
    lc_buf_puts(out, "</tbody></table></div>\n");
    busy_put(out, t);
    for (size_t i = 0; i < t->missings; i++)
        missing_put(out, t->missing[i]);
}

void lc_html_arms(struct lc_buf *out, const struct lc_view *view)
{
    lc_arm_tables_of(view, arms_put, out);
}

void lc_html_ranking(struct lc_buf *out, const struct lc_view *view)
{
    static const char *const heading[] = {"Target",   "File system", "Plain",
                                          "Loadcast", "To the best", "Runs"};
    struct lc_ranking ranking = lc_ranking_make(view);

    if (ranking.rows > 0) {
        lc_buf_printf(out,
                      "<h3>Targets from best to worst, at %ld rank%s</h3>\n<div class=\"scroll\" "
                      "tabindex=\"0\" role=\"region\" aria-label=\"Targets from best to worst\">"
                      "<table class=\"targets\">",
                      ranking.ranks, ranking.ranks == 1 ? "" : "s");
        heading_put(out, heading, 6, 2);
        for (size_t i = 0; i < ranking.rows; i++)
            ranked_put(out, &ranking.row[i]);
        lc_buf_puts(out, "</tbody></table></div>\n");
    }
    lc_ranking_free(&ranking);
}
