/* SPDX-License-Identifier: MIT */
/* html.h - private to src/report: pieces of the page */
#ifndef LC_REPORT_HTML_H
#define LC_REPORT_HTML_H

#include "report/figure.h"

/* Any bytes as text of an element or an attribute: nothing of it is markup. */
void lc_html_text(struct lc_buf *out, const char *bytes);
/* The same, cut after 'most' bytes. */
void lc_html_cut(struct lc_buf *out, const char *bytes, size_t most);

/* Any bytes as a JSON string inside a script element: it can neither end it nor begin another. */
void lc_html_json(struct lc_buf *out, const char *bytes, size_t most);
/* Numbers of an array, without its brackets: null for NAN; 6 digits. */
void lc_html_numbers(struct lc_buf *out, const double *value, size_t count);

/* What a mark is about, for people, a line each: value, series, width and runs, place. */
void lc_mark_words(struct lc_buf *out, const struct lc_figure *figure,
                   const struct lc_series *series, const struct lc_figure_mark *mark);

/* Tables: what became slower, over all targets; the targets of a view from best to worst. Nothing
 * is put where there is nothing to say. */
void lc_html_regressions(struct lc_buf *out, const struct lc_report *report);
void lc_html_ranking(struct lc_buf *out, const struct lc_view *view);

/* Everything the script needs: points, places, runs. */
void lc_html_data(struct lc_buf *out, const struct lc_report *report);

/* Files of page/, which travel inside the executable; "" if there is no such file. */
const char *lc_page_file(const char *name);

#endif
