/* SPDX-License-Identifier: MIT */
/* html_text.c - escape any bytes as text of the HTML page */
#include <math.h>
#include <string.h>

#include "report/arm_table.h"
#include "report/axis.h"
#include "report/html.h"
#include "report/words.h"
#include "util/clock.h"

/* The length of the text, at most 'most' bytes, that does not end inside a UTF-8 character. */
static size_t cut_at(const char *bytes, size_t most)
{
    size_t len = strnlen(bytes, most + 1);

    if (len <= most)
        return len;
    for (len = most; len > 0 && (bytes[len] & 0xc0) == 0x80;)
        len--;
    return len;
}

/* Is this a Unicode control for the direction of writing? Such controls could make a name look like
 * another one. */
static bool is_direction(const char *p)
{
    return (p[0] == '\xe2' && p[1] == '\x80' && (p[2] & 0xff) >= 0xaa && (p[2] & 0xff) <= 0xae) ||
           (p[0] == '\xe2' && p[1] == '\x81' && (p[2] & 0xff) >= 0xa6 && (p[2] & 0xff) <= 0xa9);
}

void lc_html_text_cut(struct lc_buf *out, const char *bytes, size_t most)
{
    size_t len = cut_at(bytes, most);

    for (size_t i = 0; i < len; i++) {
        char c = bytes[i];
        if (c == '&')
            lc_buf_puts(out, "&amp;");
        else if (c == '<')
            lc_buf_puts(out, "&lt;");
        else if (c == '>')
            lc_buf_puts(out, "&gt;");
        else if (c == '"')
            lc_buf_puts(out, "&quot;");
        else if (c == '\'')
            lc_buf_puts(out, "&#39;");
        else if ((unsigned char)c < 32 && c != '\n')
            lc_buf_puts(out, "\xef\xbf\xbd");
        else if (i + 2 < len && is_direction(bytes + i))
            lc_buf_puts(out, "\xef\xbf\xbd"), i += 2;
        else
            lc_buf_putc(out, c);
    }
    if (bytes[len])
        lc_buf_puts(out, "…");
}

void lc_html_text(struct lc_buf *out, const char *bytes)
{
    lc_html_text_cut(out, bytes, 200);
}

void lc_html_json(struct lc_buf *out, const char *bytes, size_t most)
{
    size_t len = cut_at(bytes, most);

    lc_buf_putc(out, '"');
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)bytes[i];
        if (c == '"' || c == '\\')
            lc_buf_printf(out, "\\%c", c);
        else if (c < 32 || c == '<' || c == '>' || c == '&' || c == 127)
            lc_buf_printf(out, "\\u%04x", c);
        else if (i + 2 < len && is_direction(bytes + i))
            lc_buf_puts(out, "\xef\xbf\xbd"), i += 2;
        else
            lc_buf_putc(out, (char)c);
    }
    lc_buf_puts(out, bytes[len] ? "…\"" : "\"");
}

void lc_html_numbers(struct lc_buf *out, const double *value, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        lc_buf_puts(out, i ? "," : "");
        if (isnan(value[i]) || isinf(value[i]))
            lc_buf_puts(out, "null");
        else
            lc_buf_printf(out, "%.6g", value[i]);
    }
}

static void value_put(struct lc_buf *out, const struct lc_figure *f, const struct lc_figure_mark *m)
{
    if (m->y < 0)
        lc_buf_puts(out, "no value");
    else if (f->in_counts)
        lc_buf_puts(out, lc_human_count((uint64_t)m->y).s);
    else
        lc_buf_puts(out, lc_human_seconds(f->y == LC_AXIS_SHARE ? m->x : m->y).s);
}

static void put_place(struct lc_buf *out, const struct lc_report_place *place)
{
    if (!place)
        return;
    lc_buf_printf(out, "\n%s", lc_words_short(place->is.host).s);
    if (*place->is.fs_type)
        lc_buf_printf(out, ", %s", lc_words_short(place->is.fs_type).s);
    if (*place->is.launcher)
        lc_buf_printf(out, ", %s", lc_words_short(place->is.launcher).s);
    if (*place->is.python)
        lc_buf_printf(out, ", Python %s", lc_words_short(place->is.python).s);
    if (*place->is.glibc)
        lc_buf_printf(out, ", glibc %s", lc_words_short(place->is.glibc).s);
    lc_buf_printf(out, ", Linux %s, Loadcast %s", lc_words_short(place->is.kernel).s,
                  lc_words_short(place->is.version).s);
}

static void put_run(struct lc_buf *out, const struct lc_report_run *run)
{
    char time[32];

    lc_clock_iso(time, sizeof(time), (uint64_t)run->started_ns);
    lc_buf_printf(out, "\nrun %ld, %s, %s", run->id, time, lc_run_status_name(run->status));
    if (run->is_outlier)
        lc_buf_puts(out, ", outlier");
    if (run->is_slower)
        lc_buf_puts(out, ", slower from here on");
    if (*run->reason)
        lc_buf_printf(out, ", %s", lc_words_short(run->reason).s);
    put_place(out, run->place);
}

static void series_name_put(struct lc_buf *out, const struct lc_series *s)
{
    const char *with = lc_arm_words(s->with);

    lc_buf_printf(out, "\n%s%s%s", lc_words_short(s->target).s, *s->with ? ", " : "", with);
}

static void conditions_put(struct lc_buf *out, const struct lc_report_point *p)
{
    lc_buf_printf(out, "\n%ld rank%s, %ld node%s, %s", p->ranks, p->ranks == 1 ? "" : "s", p->nodes,
                  p->nodes == 1 ? "" : "s", lc_words_short(p->cache).s);
    if (p->how && *p->how)
        lc_buf_printf(out, " (%s)", lc_words_short(p->how).s);
    lc_buf_printf(out, ", %zu run%s", p->total.n, p->total.n == 1 ? "" : "s");
    if (p->failed)
        lc_buf_printf(out, ", %zu without a value", p->failed);
}

void lc_mark_describe(struct lc_buf *out, const struct lc_figure *f, const struct lc_series *s,
                      const struct lc_figure_mark *m)
{
    value_put(out, f, m);
    series_name_put(out, s);
    if (m->point) {
        conditions_put(out, m->point);
        put_place(out, m->point->place);
    }
    if (m->run)
        put_run(out, m->run);
    if (!m->point && !m->run)
        lc_buf_printf(out, "\n%s rank%s", lc_human_count((uint64_t)m->x).s, m->x == 1 ? "" : "s");
}
