/* SPDX-License-Identifier: MIT */
/* html.c - a report as one HTML file that loads no other files */
#include "report/arm_table.h"
#include "report/html.h"

#include <math.h>
#include <string.h>

#include "config.h"
#include "report/axis.h"
#include "report/words.h"
#include "util/clock.h"
#include "util/human.h"
#include "util/path.h"

enum { VIEWS_MOST = 40, NEWEST = 100 };

struct page {
    const struct lc_report *report;
    struct lc_headline headline;
    struct lc_buf html;
    const struct lc_view *view;
    struct lc_targets targets;
};

static void html_put(struct page *p, const char *html)
{
    lc_buf_puts(&p->html, html);
}

static void text_put(struct page *p, const char *bytes)
{
    lc_html_text(&p->html, bytes);
}

static const char *with_words(const char *with)
{
    return lc_arm_words(with);
}

static void day_put(struct page *p, int64_t wall_ns)
{
    char iso[32];

    lc_clock_iso(iso, sizeof(iso), (uint64_t)wall_ns);
    lc_buf_printf(&p->html, "%.10s", iso);
}

static void top_put(struct page *p, const char *source)
{
    const struct lc_report *r = p->report;
    char now[32];

    lc_clock_iso(now, sizeof(now), lc_clock_wall_ns());
    html_put(p, "<header class=\"top\"><p class=\"brand\">Loadcast <span>report</span></p><p "
                "class=\"made\">");
    lc_buf_printf(&p->html, "%s run%s", lc_human_count(r->runs).s, r->runs == 1 ? "" : "s");
    if (r->runs) {
        html_put(p, " from ");
        day_put(p, r->first_ns);
        html_put(p, " to ");
        day_put(p, r->last_ns);
    }
    html_put(p, " in ");
    text_put(p, lc_path_base(source));
    lc_buf_printf(&p->html, ". Made %.10s %.5s UTC by Loadcast " LC_VERSION ".</p></header>\n", now,
                  now + 11);
}

/* A tile with two figures: without Loadcast, and with it. */
static void tile_put(struct page *p, const char *what, const char *before, const char *after)
{
    lc_buf_printf(&p->html, "<div class=\"tile\"><dt>%s</dt><dd>", what);
    lc_buf_printf(&p->html,
                  "<span class=\"before\">%s</span> <span class=\"arrow\" aria-hidden=\"true\">→"
                  "</span><span class=\"hidden\"> became </span> <b>%s</b></dd></div>\n",
                  before, after);
}

static void tiles_put(struct page *p)
{
    const struct lc_report_point *a = p->headline.plain, *b = p->headline.loadcast;
    const struct lc_report *r = p->report;
    size_t bad = r->runs - r->ended[LC_RUN_DONE];

    html_put(p, "<dl class=\"tiles\">\n");
    if (a && b) {
        tile_put(p, "Last rank ready", lc_short_seconds(a->median_s).s,
                 lc_short_seconds(b->median_s).s);
        if (!isnan(a->side[LC_SIDE_OPERATIONS]) && !isnan(b->side[LC_SIDE_OPERATIONS]))
            tile_put(p, "Requests of the job",
                     lc_human_count((uint64_t)a->side[LC_SIDE_OPERATIONS]).s,
                     lc_human_count((uint64_t)b->side[LC_SIDE_OPERATIONS]).s);
        if (!isnan(lc_point_bystander(a)) && !isnan(lc_point_bystander(b)))
            tile_put(p, "Another user’s stat meanwhile", lc_short_seconds(lc_point_bystander(a)).s,
                     lc_short_seconds(lc_point_bystander(b)).s);
    }
    lc_buf_printf(&p->html, "<div class=\"tile\"><dt>Runs</dt><dd><b>%s</b> <span class=\"aside\">",
                  lc_human_count(r->runs).s);
    if (bad)
        lc_buf_printf(&p->html, "%s without a value", lc_human_count(bad).s);
    else
        html_put(p, "all have their value");
    html_put(p, "</span></dd></div>\n</dl>\n");
}

static void headline_put(struct page *p)
{
    html_put(p, "<section class=\"hero\">\n<h1>");
    lc_html_text_cut(&p->html, lc_buf_text(&p->headline.sentence), 600);
    html_put(p, "</h1>\n<p class=\"conditions\">");
    lc_html_text_cut(&p->html, lc_buf_text(&p->headline.conditions), 800);
    html_put(p, "</p>\n");
    tiles_put(p);
    html_put(p, "</section>\n");
}

static void figure_put(void *arg, const struct lc_figure *f)
{
    struct page *p = arg;

    lc_html_figure(&p->html, f, f->target >= 0 ? p->targets.name[f->target] : NULL);
}

static bool view_has_value(const struct lc_view *view)
{
    for (size_t i = 0; i < view->points; i++)
        if (view->point[i]->runs)
            return true;
    return false;
}

/* Is the opening sentence about this view? Then *target is the target to show first. */
static bool view_is_headline(const struct page *p, size_t *target)
{
    const struct lc_report_point *about = p->headline.plain;

    for (size_t i = 0; about && i < p->view->points; i++)
        if (p->view->point[i] == about)
            for (size_t t = 0; t < p->targets.count; t++)
                if (p->targets.name[t] == about->target) {
                    *target = t;
                    return true;
                }
    return false;
}

static void view_put(struct page *p, size_t number)
{
    p->view = &p->report->view[number];
    p->targets = lc_view_targets(p->report, p->view);
    size_t first = p->targets.first;
    bool is_about = view_is_headline(p, &first);
    lc_buf_printf(&p->html,
                  "<section class=\"view\" id=\"view-%zu\" data-first-target=\"%zu\"%s "
                  "data-case=\"",
                  number, first, is_about ? " data-headline=\"\"" : "");
    lc_html_text_cut(&p->html, p->view->name, 120);
    html_put(p, "\" data-mode=\"");
    lc_html_text_cut(&p->html, lc_mode_words(p->view->mode), 60);
    html_put(p, "\" data-cache=\"");
    lc_html_text_cut(&p->html, p->view->cache, 60);
    html_put(p, "\" data-targets=\"");
    for (size_t t = 0; t < p->targets.count; t++) {
        html_put(p, t ? "&#10;" : "");
        lc_html_text_cut(&p->html, lc_words_short(p->targets.name[t]).s, 60);
    }
    html_put(p, "\">\n<h2>");
    lc_html_text_cut(&p->html, p->view->name, 80);
    html_put(p, " <small>");
    lc_html_text_cut(&p->html, lc_mode_words(p->view->mode), 60);
    html_put(p, " · ");
    lc_html_text_cut(&p->html, *p->view->cache ? p->view->cache : "cache unknown", 60);
    html_put(p, "</small></h2>\n");
    lc_html_ranking(&p->html, p->view);
    html_put(p, "<div class=\"figures\">\n");
    lc_figures_of(p->report, p->view, figure_put, p);
    html_put(p, "</div>\n");
    lc_html_arms(&p->html, p->view);
    html_put(p, "</section>\n");
}

static void views_put(struct page *p)
{
    size_t shown = 0, v;

    html_put(p, "<div id=\"chooser\" class=\"chooser\" hidden></div>\n<div id=\"figures\" "
                "tabindex=\"-1\">\n");
    for (v = 0; v < p->report->views && shown < VIEWS_MOST; v++)
        if (view_has_value(&p->report->view[v])) {
            view_put(p, v);
            shown++;
        }
    if (v < p->report->views)
        lc_buf_printf(&p->html,
                      "<p class=\"note\">%zu more cases are in the table below; choose fewer "
                      "with --case, --target or --since to see their diagrams.</p>\n",
                      p->report->views - v);
    html_put(p, "</div>\n");
}

static void cell_put(struct page *p, const char *class, const char *bytes)
{
    lc_buf_printf(&p->html, "<td%s>", class);
    lc_html_text_cut(&p->html, bytes, 60);
    html_put(p, "</td>");
}

static void newest_row_put(struct page *p, const struct lc_report_run *run)
{
    const struct lc_report_point *at = run->point;
    char iso[32];

    lc_clock_iso(iso, sizeof(iso), (uint64_t)run->started_ns);
    lc_buf_printf(&p->html, "<tr class=\"%s\"><td class=\"n\">%ld</td><td>%.10s %.5s</td>",
                  lc_run_status_name(run->status), run->id, iso, iso + 11);
    cell_put(p, "", lc_run_status_name(run->status));
    cell_put(p, "", at->name);
    cell_put(p, "", lc_mode_words(at->mode));
    cell_put(p, "", at->target);
    lc_buf_printf(&p->html, "<td class=\"n\">%ld</td><td class=\"n\">%ld</td>", at->ranks,
                  at->nodes);
    cell_put(p, "", with_words(at->with));
    cell_put(p, "", at->cache);
    lc_buf_printf(&p->html, "<td class=\"n\">%ld</td><td class=\"n\">%s</td></tr>\n",
                  run->repetition, isnan(run->total_s) ? "–" : lc_short_seconds(run->total_s).s);
}

/* The newest runs as a plain table, for readers without JavaScript. */
static void runs_put(struct page *p)
{
    const struct lc_report *r = p->report;
    size_t from = r->runs > NEWEST ? r->runs - NEWEST : 0;

    html_put(
        p,
        "<section id=\"runs\">\n<h2>Every run</h2>\n<div id=\"filters\" class=\"filters\" "
        "hidden></div>\n"
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table of runs\"><table "
        "id=\"table\"><thead><tr>");
    static const char *const heading[] = {"Run",        "Started (UTC)",  "Status", "Case", "Loads",
                                          "Target",     "Ranks",          "Nodes",  "With", "Cache",
                                          "Repetition", "Last rank ready"};
    for (size_t i = 0; i < 12; i++)
        lc_buf_printf(&p->html, "<th scope=\"col\">%s</th>", heading[i]);
    html_put(p, "</tr></thead><tbody>\n");
    for (size_t i = r->runs; i-- > from;)
        newest_row_put(p, &r->run[i]);
    html_put(p, "</tbody></table></div>\n<div id=\"pages\" class=\"pages\" hidden></div>\n");
    if (from > 0)
        lc_buf_printf(&p->html,
                      "<p class=\"note no-script\">The newest %d of %s. With JavaScript this "
                      "table holds all, and can be sorted and filtered.</p>\n",
                      NEWEST, lc_human_count(r->runs).s);
    html_put(p, "</section>\n");
}

static void foot_put(struct page *p)
{
    html_put(p,
             "<footer>\n<p>Each time is the worst rank’s, from the start of the job until it was "
             "ready, with "
             "the check and the staging of the image included. Runs that died, failed or were "
             "stopped have "
             "no value and are shown as such.</p>\n</footer>\n");
}

static void scripts_put(struct page *p)
{
    html_put(p, "<script type=\"application/json\" id=\"data\">{");
    lc_html_data(&p->html, p->report);
    html_put(p, "}</script>\n");
    html_put(p, "<script>\n");
    html_put(p, lc_page_file("page.js"));
    html_put(p, lc_page_file("marks.js"));
    html_put(p, lc_page_file("table.js"));
    html_put(p, "</script>\n</body>\n</html>\n");
}

int lc_report_html(const struct lc_report *r, const char *source, FILE *out, struct lc_error *err)
{
    struct page p = {.report = r};
    int rc = 0;

    lc_html_head(&p.html, "Loadcast report");
    html_put(&p, "<script>document.documentElement.className = 'script'</script>\n");
    lc_html_body(&p.html);
    top_put(&p, source);
    html_put(&p, "<main>\n");
    lc_html_regressions(&p.html, r);
    lc_headline_make(r, &p.headline);
    headline_put(&p);
    views_put(&p);
    runs_put(&p);
    html_put(&p, "</main>\n");
    foot_put(&p);
    scripts_put(&p);
    if (p.html.failed)
        rc = lc_error_set(err, "cannot make the page: out of memory");
    else if (fwrite(p.html.data, 1, p.html.len, out) != p.html.len || fflush(out))
        rc = lc_error_errno(err, "cannot write the page");
    lc_headline_free(&p.headline);
    lc_buf_free(&p.html);
    return rc;
}
