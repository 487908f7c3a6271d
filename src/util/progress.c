/* SPDX-License-Identifier: MIT */
/* progress.c - a bar on stderr */
#include "util/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/human.h"

enum { REDRAW_NS = 100000000, WIDTH = 30 };

void lc_progress_begin(struct lc_progress *bar, const char *what, uint64_t total)
{
    const char *term = getenv("TERM");

    *bar = (struct lc_progress){.what = what, .total = total, .start_ns = lc_clock_ns()};
    bar->on = isatty(STDERR_FILENO) && !(term && strcmp(term, "dumb") == 0);
}

/* Time left if the rest takes as long per unit as the part so far. */
static double seconds_left(const struct lc_progress *bar, uint64_t done, uint64_t now)
{
    return (double)(now - bar->start_ns) / 1e9 * (double)(bar->total - done) / (double)done;
}

static void bar_draw(const struct lc_progress *bar, uint64_t done, uint64_t now)
{
    if (bar->total == 0) {
        fprintf(stderr, "\r\033[K%s: %s", bar->what, lc_human_count(done).s);
        return;
    }
    int full = (int)((double)done / (double)bar->total * WIDTH);
    fprintf(stderr, "\r\033[K%s [%.*s%*s] %3.0f %%", bar->what, full,
            "##############################", WIDTH - full, "",
            (double)done / (double)bar->total * 100);
    if (done > 0)
        fprintf(stderr, ", %s left", lc_human_seconds(seconds_left(bar, done, now)).s);
}

void lc_progress_update(struct lc_progress *bar, uint64_t done)
{
    if (!bar->on)
        return;
    uint64_t now = lc_clock_ns();
    if (now - bar->shown_ns < REDRAW_NS)
        return;
    bar->shown_ns = now;
    bar_draw(bar, bar->total && done > bar->total ? bar->total : done, now);
    fflush(stderr);
}

void lc_progress_end(struct lc_progress *bar)
{
    if (bar->on && bar->shown_ns)
        fprintf(stderr, "\r\033[K");
}
