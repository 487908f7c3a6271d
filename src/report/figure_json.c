/* SPDX-License-Identifier: MIT */
/* figure_json.c - a figure as JSON for the page's script */
#include <math.h>

#include "report/figure.h"
#include "report/html.h"

static const char *const axes[] = {"log",   "log0", "ranks", "share",
                                   "hours", "time", "names", "linear"};
static const char *const looks[] = {"line", "dots", "steps", "bar"};

/* [x, y, low, high, point]: the shortest that says it. */
static void put_mark(struct lc_buf *out, const struct lc_mark *m)
{
    lc_buf_puts(out, "[");
    lc_html_numbers(out, (const double[]){m->x, m->y, m->low, m->high}, 4);
    lc_buf_printf(out, ",%ld]", m->point ? (long)m->point->index : -1L);
}

/* Runs of a history are in the table of runs already: its series only name the point. */
static void put_series(struct lc_buf *out, const struct lc_series *s)
{
    lc_buf_puts(out, "{\"target\":");
    lc_html_json(out, s->target, 120);
    lc_buf_puts(out, ",\"with\":");
    lc_html_json(out, s->with, 40);
    lc_buf_printf(out, ",\"colour\":%d,\"plain\":%s,\"look\":\"%s\"", s->colour,
                  s->is_plain ? "true" : "false", looks[s->look]);
    if (s->look == LC_LOOK_DOTS) {
        lc_buf_printf(out, ",\"of\":%zu}", s->marks ? s->mark[0].run->point->index : 0);
        return;
    }
    lc_buf_puts(out, ",\"marks\":[");
    for (size_t i = 0; i < s->marks; i++) {
        lc_buf_puts(out, i ? "," : "");
        put_mark(out, &s->mark[i]);
    }
    lc_buf_puts(out, "]}");
}

void lc_figure_json(const struct lc_figure *f, struct lc_buf *out)
{
    lc_buf_printf(out,
                  "{\"kind\":\"%s\",\"x\":\"%s\",\"y\":\"%s\",\"counts\":%s,\"unitX\":", f->kind,
                  axes[f->x], axes[f->y], f->in_counts ? "true" : "false");
    lc_html_json(out, f->unit_x, 60);
    lc_buf_puts(out, ",\"unitY\":");
    lc_html_json(out, f->unit_y, 60);
    lc_buf_puts(out, ",\"names\":[");
    for (size_t i = 0; i < f->names; i++) {
        lc_buf_puts(out, i ? "," : "");
        lc_html_json(out, f->name[i], 60);
    }
    lc_buf_puts(out, "],\"series\":[");
    for (size_t i = 0, n = 0; i < f->count; i++)
        if (f->series[i].marks) {
            lc_buf_puts(out, n++ ? "," : "");
            put_series(out, &f->series[i]);
        }
    lc_buf_puts(out, "]}");
}
