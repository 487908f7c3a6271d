/* SPDX-License-Identifier: MIT */
/* html_figure.c - what all pages share: their head, and a figure with its legend */
#include <string.h>

#include "report/arm_table.h"
#include "report/html.h"

void lc_html_head(struct lc_buf *out, const char *title)
{
    lc_buf_puts(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                     "<meta name=\"color-scheme\" content=\"light dark\">\n"
                     "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                     "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n<title>");
    lc_html_text(out, title);
    lc_buf_puts(out, "</title>\n");
}

void lc_html_body(struct lc_buf *out)
{
    lc_buf_puts(out, "<style>\n");
    lc_buf_puts(out, lc_page_file("page.css"));
    lc_buf_puts(out, "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#figures\">Skip to the "
                     "diagrams</a>\n");
}

static void put_legend(struct lc_buf *out, const struct lc_figure *f)
{
    lc_buf_puts(out, "<ul class=\"legend\">");
    for (size_t i = 0; i < f->count; i++) {
        const struct lc_series *s = &f->series[i];
        if (s->marks == 0)
            continue;
        lc_buf_printf(out, "<li class=\"key %s%d %s\">", s->look == LC_LOOK_BAR ? "p" : "c",
                      s->colour,
                      s->look == LC_LOOK_BAR ? "box" : (s->is_plain ? "plain" : "cached"));
        lc_html_text_cut(out, s->target, 40);
        if (*s->with) {
            lc_buf_puts(out, ", ");
            lc_html_text_cut(out, lc_arm_words(s->with), 20);
        }
        lc_buf_puts(out, "</li>");
    }
    lc_buf_puts(out, "</ul>");
}

static void put_caption(struct lc_buf *out, const struct lc_figure *f, const char *of)
{
    lc_buf_puts(out, "<figcaption><h3>");
    lc_html_text(out, f->title);
    if (of) {
        lc_buf_puts(out, " <span class=\"of\">on ");
        lc_html_text_cut(out, of, 40);
        lc_buf_puts(out, "</span>");
    }
    lc_buf_puts(out, "</h3>");
    put_legend(out, f);
    lc_buf_puts(out, "</figcaption>\n");
}

void lc_html_figure(struct lc_buf *out, const struct lc_figure *f, const char *of)
{
    lc_buf_printf(out, "<figure class=\"figure\" data-kind=\"%s\"", f->kind);
    if (f->target >= 0)
        lc_buf_printf(out, " data-target=\"%d\"", f->target);
    lc_buf_puts(out, ">\n");
    put_caption(out, f, of);
    lc_buf_puts(out, "<p class=\"unit-y\">");
    lc_html_text(out, f->unit_y);
    lc_buf_puts(out, "</p><div class=\"plot\">");
    lc_figure_svg(f, out);
    lc_buf_puts(out, "</div>\n<p class=\"note\">");
    lc_html_text_cut(out, f->note, 400);
    if (f->left_out)
        lc_buf_puts(out, " Some series are left out: there are too many for one diagram.");
    lc_buf_puts(out, "</p>\n</figure>\n");
}
