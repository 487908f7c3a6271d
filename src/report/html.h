/* SPDX-License-Identifier: MIT */
/* html.h - parts of HTML pages: for src/report, and for src/predict, whose page looks the same */
#ifndef LC_REPORT_HTML_H
#define LC_REPORT_HTML_H

#include "report/figure.h"

/* Adds any bytes as text of an element or an attribute, escaped. */
void lc_html_text(struct lc_buf *out, const char *bytes);
/* As lc_html_text, but at most 'most' bytes of the text. */
void lc_html_text_cut(struct lc_buf *out, const char *bytes, size_t most);

/* Adds any bytes as a JSON string that is safe inside a script element: it cannot end the element
 * or open another. */
void lc_html_json(struct lc_buf *out, const char *bytes, size_t most);
/* Adds the numbers of a JSON array, without its brackets: 6 digits, null for NAN. */
void lc_html_numbers(struct lc_buf *out, const double *value, size_t count);

/* Describes a mark for people, one line each: value, series, ranks and runs, place. */
void lc_mark_describe(struct lc_buf *out, const struct lc_figure *figure,
                      const struct lc_series *series, const struct lc_figure_mark *mark);

/* The beginning of a page: lc_html_head opens the head, lc_html_body ends it with the style sheet
 * and opens the body. */
void lc_html_head(struct lc_buf *out, const char *title);
void lc_html_body(struct lc_buf *out);
/* A figure with caption, legend and note. 'of' is the target it is about; NULL: all. */
void lc_html_figure(struct lc_buf *out, const struct lc_figure *figure, const char *of);

/* Tables: what became slower, over all targets; the targets of a view from best to worst. An empty
 * table is left out. */
void lc_html_regressions(struct lc_buf *out, const struct lc_report *report);
void lc_html_ranking(struct lc_buf *out, const struct lc_view *view);
/* The arms of each target of a view: what to tell users. */
void lc_html_arms(struct lc_buf *out, const struct lc_view *view);

/* Adds the data for the page's script as JSON: points, places, runs. */
void lc_html_data(struct lc_buf *out, const struct lc_report *report);

/* The content of a file of page/, which is embedded in the executable; "" if there is no such file.
 */
const char *lc_page_file(const char *name);

#endif
