/* SPDX-License-Identifier: MIT */
/* measure_memory.c - ask the nodes how much of their memory an arm's files take */
#include <stdio.h>
#include <stdlib.h>

#include "bench/arm_loadcast.h"
#include "bench/measure.h"
#include "bench/node_hold.h"

/* The largest number that a node printed. */
static double text_largest(const char *text)
{
    double most = 0;

    for (char *end; *text; text = *end ? end + 1 : end) {
        double one = strtod(text, &end);
        most = one > most ? one : most;
    }
    return most;
}

void lc_measure_memory(const struct lc_measure_point *p, struct lc_measured *m)
{
    const struct lc_arm_job job = {.launcher = p->launcher, .width = p->width};
    struct lc_argv words = {0};
    struct lc_buf out = {0};
    struct lc_arm_times times;
    struct lc_error ignored;

    if (!p->setup->ops->memory || !p->c->place[0] || m->status != LC_RUN_DONE ||
        lc_node_words(&job, &words, &ignored) < 0)
        return;
    if (lc_loadcast_of(p->setup)) /* 'loadcast run' has taken it away already: bring it again */
        lc_arm_setup_begin(p->setup, &job, &times, &ignored);
    lc_argv_add(&words, p->c->programs->rank);
    lc_argv_add(&words, "memory");
    p->setup->ops->memory(p->setup, &words);
    if (lc_run_output_quiet(&words, &out, &ignored) == 0)
        lc_measured_metric(m, LC_METRIC_MEMORY, text_largest(lc_buf_text(&out)));
    lc_argv_free(&words);
    lc_buf_free(&out);
}
