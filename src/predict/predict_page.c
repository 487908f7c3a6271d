/* SPDX-License-Identifier: MIT */
/* predict_page.c - a prediction as one HTML file that looks like the report's and loads nothing */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "predict/predict.h"
#include "report/html.h"
#include "util/clock.h"
#include "util/human.h"

/* Remedies that change little are dashed, as plain is on the report's page. */
static const struct {
    int colour;
    bool is_dashed;
} looks[LC_REMEDIES] = {
    [LC_REMEDY_NONE] = {0, true},     [LC_REMEDY_COPY] = {1, true},   [LC_REMEDY_BCAST] = {4, true},
    [LC_REMEDY_SQUASHFS] = {5, true}, [LC_REMEDY_RANKS] = {4, false}, [LC_REMEDY_FS] = {3, false},
    [LC_REMEDY_SBCAST] = {1, false},  [LC_REMEDY_MPI] = {2, false},
};

enum value { WORST, RATE, BYSTANDER };

static double value_at(const struct lc_estimate *e, enum value value)
{
    return value == WORST ? e->worst_s : value == RATE ? e->requests_per_s : e->bystander_s;
}

static void series_add(struct lc_figure *f, const struct lc_prediction *p, enum lc_remedy remedy,
                       enum value value)
{
    struct lc_series *s = lc_figure_series(f, lc_remedy_name(remedy), "", looks[remedy].colour);

    if (!s)
        return;
    s->is_plain = looks[remedy].is_dashed;
    for (size_t i = 0; i < p->widths; i++) {
        const struct lc_estimate *e = &p->width[i].of[remedy];
        double low = value == WORST ? e->median_s : NAN, high = value == WORST ? e->worst_s : NAN;
        lc_series_add(s, (struct lc_figure_mark){.x = (double)p->width[i].ranks,
                                                 .y = value_at(e, value),
                                                 .low = low,
                                                 .high = high});
    }
}

static void put_figure(struct lc_buf *out, const struct lc_prediction *p, const char *kind,
                       enum value value)
{
    static const char *const title[] = {"Time until the last rank is ready",
                                        "Requests per second at the metadata servers",
                                        "Another user’s stat meanwhile"};
    static const char *const unit[] = {"seconds", "requests per second", "seconds"};
    struct lc_figure *f = calloc(1, sizeof(*f));

    if (!f)
        return;
    f->kind = kind;
    f->title = title[value];
    f->unit_x = "ranks";
    f->unit_y = unit[value];
    f->target = -1;
    f->x = LC_AXIS_RANKS;
    f->y = value == RATE ? LC_AXIS_LOG0 : LC_AXIS_LOG;
    f->in_counts = value == RATE;
    snprintf(f->note, sizeof(f->note), "Computed for %s, not measured.%s", p->machine->name,
             value == WORST ? " Launch, check and staging are in it; the band begins at the median "
                              "rank."
                            : "");
    for (int r = 0; r < LC_REMEDIES; r++)
        series_add(f, p, (enum lc_remedy)r, value);
    lc_html_figure(out, f, NULL);
    lc_figure_free(f);
    free(f);
}

static void put_top(struct lc_buf *out, const struct lc_prediction *p)
{
    char now[32], headline[400];

    lc_clock_iso(now, sizeof(now), lc_clock_wall_ns());
    lc_predict_headline(p, headline, sizeof(headline));
    lc_buf_puts(out, "<header class=\"top\"><p class=\"brand\">Loadcast <span>prediction</span></p>"
                     "<p class=\"made\">");
    lc_buf_printf(out, "Made %.10s %.5s UTC by Loadcast " LC_VERSION ".</p></header>\n", now,
                  now + 11);
    lc_buf_puts(out, "<main>\n<section class=\"hero\">\n<h1>");
    lc_html_text_cut(out, headline, 400);
    lc_buf_puts(out, "</h1>\n<p class=\"conditions\">");
    lc_html_text_cut(out, p->job->name, 160);
    lc_buf_printf(out, ": %s look-ups, %s misses, %s opens, %s and %s of CPU per rank.",
                  lc_human_count((uint64_t)p->job->lookups).s,
                  lc_human_count((uint64_t)p->job->misses).s,
                  lc_human_count((uint64_t)p->job->opens).s,
                  lc_human_bytes((uint64_t)p->job->bytes).s, lc_human_seconds(p->job->cpu_s).s);
    if (p->job->note[0]) {
        lc_buf_puts(out, " Assumed: ");
        lc_html_text_cut(out, p->job->note, 200);
        lc_buf_putc(out, '.');
    }
    lc_buf_puts(out, "</p>\n");
}

static void put_tile(struct lc_buf *out, const char *what, long ranks)
{
    lc_buf_printf(out, "<div class=\"tile\"><dt>%s</dt><dd>", what);
    if (ranks)
        lc_buf_printf(out,
                      "<span class=\"aside\">from</span> <b>%s</b> <span class=\"aside\">"
                      "rank%s on</span></dd></div>\n",
                      lc_human_count((uint64_t)ranks).s, ranks == 1 ? "" : "s");
    else
        lc_buf_puts(out, "<b>never</b> <span class=\"aside\">up to 1,000,000 ranks</span></dd>"
                         "</div>\n");
}

static void put_tiles(struct lc_buf *out, const struct lc_prediction *p)
{
    lc_buf_puts(out, "<dl class=\"tiles\">\n");
    put_tile(out, "Plain takes more than 180 s", p->timeout_ranks);
    put_tile(out, "Another user’s stat takes 1 s", p->bystander_ranks);
    put_tile(out, "Loadcast staged by ranks is faster than plain", p->pays_ranks[LC_REMEDY_RANKS]);
    put_tile(out, "Loadcast by MPI is faster than plain", p->pays_ranks[LC_REMEDY_MPI]);
    lc_buf_puts(out, "</dl>\n</section>\n");
}

static void put_table_head(struct lc_buf *out)
{
    lc_buf_puts(out,
                "<section>\n<h2>Every width <small>last rank / median rank</small></h2>\n<div "
                "class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table of widths\">"
                "<table><thead><tr><th scope=\"col\" class=\"n\">Ranks</th><th scope=\"col\" "
                "class=\"n\">Nodes</th>");
    for (int r = 0; r < LC_REMEDIES; r++)
        lc_buf_printf(out, "<th scope=\"col\" class=\"n\">%s</th>",
                      lc_remedy_name((enum lc_remedy)r));
    lc_buf_puts(out, "</tr></thead><tbody>\n");
}

/* Below each remedy the width from which on it is faster than plain. */
static void put_table_foot(struct lc_buf *out, const struct lc_prediction *p)
{
    lc_buf_puts(out, "</tbody><tfoot><tr><th scope=\"row\" colspan=\"2\">Faster than plain from "
                     "ranks</th>");
    for (int r = 0; r < LC_REMEDIES; r++)
        lc_buf_printf(out, "<td class=\"n\">%s</td>",
                      r == LC_REMEDY_NONE ? ""
                      : p->pays_ranks[r]  ? lc_human_count((uint64_t)p->pays_ranks[r]).s
                                          : "never");
    lc_buf_puts(out, "</tr></tfoot></table></div>\n");
}

static void put_table(struct lc_buf *out, const struct lc_prediction *p)
{
    bool beyond = false, fit = false;

    put_table_head(out);
    for (size_t i = 0; i < p->widths; i++) {
        const struct lc_predicted_width *w = &p->width[i];
        lc_buf_printf(out, "<tr><td class=\"n\">%s%s%s</td><td class=\"n\">%s</td>",
                      lc_human_count((uint64_t)w->ranks).s, w->is_beyond_machine ? "*" : "",
                      w->is_beyond_fit ? "+" : "", lc_human_count((uint64_t)w->nodes).s);
        for (int r = 0; r < LC_REMEDIES; r++)
            lc_buf_printf(out, "<td class=\"n\" data-s=\"%.6g\">%s / %s</td>", w->of[r].worst_s,
                          lc_human_seconds(w->of[r].worst_s).s,
                          lc_human_seconds(w->of[r].median_s).s);
        lc_buf_puts(out, "</tr>\n");
        beyond |= w->is_beyond_machine;
        fit |= w->is_beyond_fit;
    }
    put_table_foot(out, p);
    if (beyond)
        lc_buf_puts(out, "<p class=\"note\">* more nodes than the machine has.</p>\n");
    if (fit)
        lc_buf_puts(out, "<p class=\"note\">+ beyond the model’s validity: far wider than the jobs "
                         "its numbers were fitted to.</p>\n");
    lc_buf_puts(out, "</section>\n");
}

static void put_sentence(struct lc_buf *out, const char *what, const char *text)
{
    if (!*text)
        return;
    lc_buf_printf(out, "<p><b>%s</b> ", what);
    lc_html_text_cut(out, text, strlen(text));
    lc_buf_puts(out, "</p>\n");
}

/* The chain by both engines, where it was simulated. */
static void put_simulation(struct lc_buf *out, const struct lc_prediction *p)
{
    for (size_t i = 0; i < p->widths; i++) {
        const struct lc_predicted_width *w = &p->width[i];
        if (!isnan(w->simulated_s))
            lc_buf_printf(out,
                          "<p><b>The chain at %s nodes:</b> %s by the model, %s simulated.</p>\n",
                          lc_human_count((uint64_t)w->nodes).s, lc_human_seconds(w->chain_s).s,
                          lc_human_seconds(w->simulated_s).s);
    }
    put_sentence(out, "Simulation:", p->simulation);
}

static void put_foot(struct lc_buf *out, const struct lc_prediction *p)
{
    lc_buf_puts(out, "</main>\n<footer>\n");
    put_sentence(out, "The machine is taken from:", p->machine->about.source);
    put_sentence(out, "Fitted:", p->machine->about.fitted);
    put_sentence(out, "Assumed:", p->machine->about.assumed);
    put_sentence(out, "Error:", p->machine->about.error);
    put_simulation(out, p);
    lc_buf_puts(out, "</footer>\n</body>\n</html>\n");
}

int lc_predict_page(const struct lc_prediction *p, FILE *out, struct lc_error *err)
{
    struct lc_buf html = {0};
    int rc = 0;

    lc_html_head(&html, "Loadcast prediction");
    lc_html_body(&html);
    put_top(&html, p);
    put_tiles(&html, p);
    lc_buf_puts(
        &html,
        "<h2>The same job, wider</h2>\n<div class=\"figures\" id=\"figures\" tabindex=\"-1\">\n");
    put_figure(&html, p, "time", WORST);
    put_figure(&html, p, "rate", RATE);
    put_figure(&html, p, "bystander", BYSTANDER);
    lc_buf_puts(&html, "</div>\n");
    put_table(&html, p);
    put_foot(&html, p);
    if (html.failed)
        rc = lc_error_set(err, "cannot make the page: out of memory");
    else if (fwrite(html.data, 1, html.len, out) != html.len || fflush(out))
        rc = lc_error_errno(err, "cannot write the page");
    lc_buf_free(&html);
    return rc;
}
