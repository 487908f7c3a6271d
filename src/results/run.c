/* SPDX-License-Identifier: MIT */
/* run.c - one measured run: names, look-ups, statistics over ranks */
#include "results/run.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const status_names[] = {
    [LC_RUN_STARTED] = "started", [LC_RUN_DONE] = "done",       [LC_RUN_FAILED] = "failed",
    [LC_RUN_TIMEOUT] = "timeout", [LC_RUN_STOPPED] = "stopped",
};

const char *lc_run_status_name(enum lc_run_status status)
{
    return status_names[status];
}

int lc_run_status_parse(const char *name)
{
    for (size_t i = 0; i < sizeof(status_names) / sizeof(*status_names); i++)
        if (strcmp(name, status_names[i]) == 0)
            return (int)i;
    return -1;
}

const struct lc_run_phase *lc_run_phase(const struct lc_run *run, const char *name)
{
    for (size_t i = 0; i < run->phases; i++)
        if (strcmp(run->phase[i].name, name) == 0)
            return &run->phase[i];
    return NULL;
}

double lc_run_metric(const struct lc_run *run, const char *name)
{
    for (size_t i = 0; i < run->metrics; i++)
        if (strcmp(run->metric[i].name, name) == 0)
            return run->metric[i].value;
    return NAN;
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

int lc_run_phase_sum_up(struct lc_run_phase *phase)
{
    size_t n = phase->ranks;

    if (n == 0 || !phase->sample_ns)
        return 0;
    int64_t *sorted = malloc(n * sizeof(*sorted));
    if (!sorted)
        return -1;
    memcpy(sorted, phase->sample_ns, n * sizeof(*sorted));
    qsort(sorted, n, sizeof(*sorted), by_value);
    phase->min_ns = sorted[0];
    phase->median_ns = n % 2 ? sorted[n / 2] : sorted[n / 2 - 1] / 2 + sorted[n / 2] / 2;
    phase->p95_ns = sorted[(n * 95 + 99) / 100 - 1];
    phase->max_ns = sorted[n - 1];
    free(sorted);
    return 0;
}
