/* SPDX-License-Identifier: MIT */
/* svg.c - a figure as SVG
 *
 * The style sheet gives colours and lines. The attributes data-... are for the page's script
 * (page/marks.js), which shows tooltips, hides series and zooms into a history. */
#include <math.h>
#include <string.h>

#include "report/axis.h"
#include "report/html.h"

enum { WIDTH = 520, HEIGHT = 320, LEFT = 62, RIGHT = 14, TOP = 12, BOTTOM = 44, BAR = 26 };
enum { MANY_BARS = 6 };

struct paper {
    const struct lc_figure *figure;
    struct lc_buf *out;
    struct lc_scale x, y;
};

static void title_put(struct paper *p, const struct lc_series *s, const struct lc_figure_mark *m)
{
    struct lc_buf words = {0};

    lc_mark_describe(&words, p->figure, s, m);
    lc_buf_puts(p->out, "<title>");
    lc_html_text_cut(p->out, lc_buf_text(&words), 400);
    lc_buf_puts(p->out, "</title>");
    lc_buf_free(&words);
}

/* The data of a mark for the script: its run or point, and its values. */
static void data_put(struct paper *p, const struct lc_figure_mark *m)
{
    if (m->point)
        lc_buf_printf(p->out, " data-point=\"%zu\"", m->point->index);
    else if (m->run)
        lc_buf_printf(p->out, " data-run=\"%ld\"", m->run->id);
    if (m->y >= 0)
        lc_buf_printf(p->out, " data-y=\"%.6g\"", m->y);
    if (!isnan(m->low) && !isnan(m->high))
        lc_buf_printf(p->out, " data-low=\"%.6g\" data-high=\"%.6g\"", m->low, m->high);
}

static void grid_draw(struct paper *p)
{
    for (size_t i = 0; i < p->y.ticks; i++) {
        double at = lc_scale_at(&p->y, p->y.tick[i]);
        lc_buf_printf(p->out,
                      "<path class=\"grid\" d=\"M%d %.1fH%d\"/><text class=\"ty\" x=\"%d\" "
                      "y=\"%.1f\">",
                      LEFT, at, WIDTH - RIGHT, LEFT - 7, at + 4);
        lc_html_text(p->out, lc_scale_label(&p->y, p->figure, true, p->y.tick[i]).s);
        lc_buf_puts(p->out, "</text>");
    }
}

/* Bars have labels of two lines: the number of ranks, and below it the arm. Where there are many,
 * every other arm is a line lower: names are wider than bars. */
static void x_label_put(struct paper *p, double at, const char *label, size_t number)
{
    const char *space =
        p->figure->count && p->figure->series[0].look == LC_LOOK_BAR ? strchr(label, ' ') : NULL;
    struct lc_buf first = {0};

    lc_buf_add(&first, label, space ? (size_t)(space - label) : strlen(label));
    lc_buf_printf(p->out, "<text class=\"tx\" x=\"%.1f\" y=\"%d\">", at, HEIGHT - BOTTOM + 16);
    lc_html_text(p->out, lc_buf_text(&first));
    lc_buf_puts(p->out, "</text>");
    if (space) {
        lc_buf_printf(p->out, "<text class=\"tx small\" x=\"%.1f\" y=\"%d\">", at,
                      HEIGHT - BOTTOM + (p->x.ticks > MANY_BARS && number % 2 == 1 ? 41 : 29));
        lc_html_text(p->out, strcmp(space + 1, "Loadcast") == 0 ? "LC" : space + 1);
        lc_buf_puts(p->out, "</text>");
    }
    lc_buf_free(&first);
}

static void x_axis_draw(struct paper *p)
{
    lc_buf_printf(p->out, "<path class=\"axis\" d=\"M%d %dH%d\"/>", LEFT, HEIGHT - BOTTOM,
                  WIDTH - RIGHT);
    for (size_t i = 0; i < p->x.ticks; i++)
        x_label_put(p, lc_scale_at(&p->x, p->x.tick[i]),
                    lc_scale_label(&p->x, p->figure, false, p->x.tick[i]).s, i);
    bool bars = p->figure->count && p->figure->series[0].look == LC_LOOK_BAR;
    lc_buf_printf(p->out, "<text class=\"unit\" x=\"%d\" y=\"%d\">",
                  bars ? LEFT - 7 : WIDTH - RIGHT, bars ? HEIGHT - BOTTOM + 16 : HEIGHT - 4);
    lc_html_text(p->out, p->figure->unit_x);
    lc_buf_puts(p->out, "</text>");
}

static void band_draw(struct paper *p, const struct lc_series *s)
{
    size_t n = 0;

    for (size_t i = 0; i < s->marks; i++)
        n += !isnan(s->mark[i].low) && !isnan(s->mark[i].high);
    if (n < 2)
        return;
    lc_buf_puts(p->out, "<path class=\"band\" d=\"");
    for (size_t i = 0, k = 0; i < s->marks; i++)
        if (!isnan(s->mark[i].low) && !isnan(s->mark[i].high))
            lc_buf_printf(p->out, "%s%.1f %.1f", k++ ? "L" : "M", lc_scale_at(&p->x, s->mark[i].x),
                          lc_scale_at(&p->y, s->mark[i].high));
    for (size_t i = s->marks; i-- > 0;)
        if (!isnan(s->mark[i].low) && !isnan(s->mark[i].high))
            lc_buf_printf(p->out, "L%.1f %.1f", lc_scale_at(&p->x, s->mark[i].x),
                          lc_scale_at(&p->y, s->mark[i].low));
    lc_buf_puts(p->out, "Z\"/>");
}

static void line_draw(struct paper *p, const struct lc_series *s)
{
    lc_buf_puts(p->out, "<path class=\"line\" d=\"");
    for (size_t i = 0; i < s->marks; i++) {
        double x = lc_scale_at(&p->x, s->mark[i].x), y = lc_scale_at(&p->y, s->mark[i].y);
        if (i > 0 && s->look == LC_LOOK_STEPS)
            lc_buf_printf(p->out, "H%.1fV%.1f", x, y);
        else
            lc_buf_printf(p->out, "%s%.1f %.1f", i ? "L" : "M", x, y);
    }
    lc_buf_puts(p->out, "\"/>");
}

/* Draws a run of a history that has no value or stands out. */
static void event_draw(struct paper *p, const struct lc_series *s, const struct lc_figure_mark *m,
                       double x, double y)
{
    if (m->y < 0) {
        lc_buf_puts(p->out, "<path class=\"failed\"");
        data_put(p, m);
        lc_buf_printf(p->out, " d=\"M%.1f %dl8 8m0-8l-8 8\">", x - 4, TOP);
        title_put(p, s, m);
        lc_buf_puts(p->out, "</path>");
        return;
    }
    if (m->run->is_slower)
        lc_buf_printf(p->out, "<path class=\"slower\" d=\"M%.1f %dV%d\"/>", x, TOP,
                      HEIGHT - BOTTOM);
    if (m->run->is_outlier)
        lc_buf_printf(p->out, "<circle class=\"outlier\" cx=\"%.1f\" cy=\"%.1f\" r=\"6.5\"/>", x,
                      y);
}

static void draw_mark(struct paper *p, const struct lc_series *s, const struct lc_figure_mark *m)
{
    double x = lc_scale_at(&p->x, m->x), y = m->y < 0 ? TOP : lc_scale_at(&p->y, m->y);

    if (m->run)
        event_draw(p, s, m, x, y);
    if (m->y < 0)
        return;
    lc_buf_puts(p->out, "<circle class=\"mark\"");
    data_put(p, m);
    lc_buf_printf(p->out, " cx=\"%.1f\" cy=\"%.1f\" r=\"%s\"%s>", x, y, m->run ? "2.2" : "4",
                  m->run ? "" : " tabindex=\"0\"");
    title_put(p, s, m);
    lc_buf_puts(p->out, "</circle>");
}

static void bars_draw(struct paper *p, const struct lc_series *s)
{
    double unit = (p->x.to - p->x.from) / (p->x.max - p->x.min) * 0.86;
    double width = unit < BAR * 2 ? unit : BAR * 2;

    for (size_t i = 0; i < s->marks; i++) {
        const struct lc_figure_mark *m = &s->mark[i];
        double top = lc_scale_at(&p->y, m->high), bottom = lc_scale_at(&p->y, m->low);
        lc_buf_puts(p->out, "<rect class=\"piece\"");
        data_put(p, m);
        lc_buf_printf(p->out,
                      " x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" tabindex=\"0\">",
                      lc_scale_at(&p->x, m->x) - width / 2, top, width, bottom - top);
        title_put(p, s, m);
        lc_buf_puts(p->out, "</rect>");
    }
}

/* A line of steps has no marks in the SVG: the script makes them from this data. */
static void steps_put(struct paper *p, const struct lc_series *s)
{
    lc_buf_printf(p->out, " data-point=\"%zu\" data-steps=\"", s->mark[0].point->index);
    for (size_t i = 0; i < s->marks; i++)
        lc_buf_printf(p->out, "%s%.6g", i ? " " : "", s->mark[i].x);
    lc_buf_puts(p->out, "\"");
}

static void series_draw(struct paper *p, const struct lc_series *s)
{
    if (s->marks == 0)
        return;
    lc_buf_printf(p->out, "<g class=\"%s%d %s\"", s->look == LC_LOOK_BAR ? "p" : "c", s->colour,
                  s->is_plain ? "plain" : "cached");
    if (s->look == LC_LOOK_STEPS)
        steps_put(p, s);
    if (s->look == LC_LOOK_DOTS)
        lc_buf_printf(p->out, " data-point=\"%zu\"", s->mark[0].run->point->index);
    lc_buf_puts(p->out, ">");
    if (s->look == LC_LOOK_BAR) {
        bars_draw(p, s);
    } else {
        band_draw(p, s);
        if (s->look != LC_LOOK_DOTS)
            line_draw(p, s);
        for (size_t i = 0; s->look != LC_LOOK_STEPS && i < s->marks; i++)
            draw_mark(p, s, &s->mark[i]);
    }
    lc_buf_puts(p->out, "</g>");
}

void lc_figure_svg(const struct lc_figure *f, struct lc_buf *out)
{
    struct paper p = {.figure = f, .out = out};

    lc_scale_fit(&p.x, f, false);
    lc_scale_fit(&p.y, f, true);
    p.x.from = LEFT;
    p.x.to = WIDTH - RIGHT;
    p.y.from = HEIGHT - BOTTOM;
    p.y.to = TOP;
    lc_buf_printf(out, "<svg viewBox=\"0 0 %d %d\" role=\"group\"", WIDTH, HEIGHT);
    if (f->x == LC_AXIS_TIME || f->y == LC_AXIS_SHARE) /* the script draws marks there itself */
        lc_buf_printf(out, " data-x=\"%.12g %.12g %g %g\" data-y=\"%.6g %.6g %g %g\"", p.x.min,
                      p.x.max, p.x.from, p.x.to, p.y.min, p.y.max, p.y.from, p.y.to);
    lc_buf_puts(out, " aria-label=\"");
    lc_html_text(out, f->title);
    lc_buf_puts(out, "\">");
    grid_draw(&p);
    x_axis_draw(&p);
    for (size_t i = 0; i < f->count; i++)
        series_draw(&p, &f->series[i]);
    lc_buf_puts(out, "</svg>");
}
