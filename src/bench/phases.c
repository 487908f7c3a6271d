/* SPDX-License-Identifier: MIT */
/* phases.c - convert marks to phases */
#include "bench/phases.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t last_ns(const struct lc_rank_report *r)
{
    return r->marks > 0 ? r->mark[r->marks - 1].ns : r->end_ns;
}

static bool has_report(const struct lc_rank_report *r)
{
    return r->spawn_ns != 0 && r->status >= 0;
}

static size_t phase_find(struct lc_phases *p, const char *name)
{
    for (size_t i = 0; i < p->count; i++)
        if (strcmp(p->name[i], name) == 0)
            return i;
    return p->count;
}

/* The index of a phase, added if it is new; LC_PHASES_MOST: no room, or no memory (errno). */
static size_t phase_get(struct lc_phases *p, const char *name, size_t ranks)
{
    size_t i = phase_find(p, name);

    if (i < p->count || i == LC_PHASES_MOST)
        return i;
    p->sample[i] = calloc(ranks, sizeof(int64_t));
    if (!p->sample[i])
        return LC_PHASES_MOST;
    snprintf(p->name[i], sizeof(p->name[i]), "%s", name);
    p->phase[i] = (struct lc_run_phase){.name = p->name[i], .sample_ns = p->sample[i]};
    p->count++;
    return i;
}

static void sample_add(struct lc_phases *p, const char *name, size_t ranks, int64_t ns)
{
    size_t i = phase_get(p, name, ranks);

    if (i < LC_PHASES_MOST)
        p->sample[i][p->phase[i].ranks++] = ns;
}

/* Times of a phase that is marked more than once, such as a barrier, are added. */
static void samples_add_marks(struct lc_phases *p, const struct lc_rank_report *r, size_t ranks)
{
    for (size_t k = 0; k < r->marks; k++) {
        int64_t sum = 0;
        bool is_first = true;
        for (size_t j = 0; j < r->marks; j++) {
            if (strcmp(r->mark[j].name, r->mark[k].name) != 0)
                continue;
            is_first &= j >= k;
            sum += r->mark[j].ns - (j ? r->mark[j - 1].ns : r->spawn_ns);
        }
        if (is_first)
            sample_add(p, r->mark[k].name, ranks, sum);
    }
}

int lc_phases_fill(struct lc_phases *phases, const struct lc_collect *run)
{
    *phases = (struct lc_phases){.count = 0};
    errno = 0;
    for (size_t i = 0; i < run->reports; i++) {
        const struct lc_rank_report *r = &run->report[i];
        if (!has_report(r))
            continue;
        int64_t launch = r->begin_ns - run->launch_ns;
        sample_add(phases, "launch", run->reports, launch);
        samples_add_marks(phases, r, run->reports);
        sample_add(phases, "total", run->reports, launch + last_ns(r) - r->spawn_ns);
        sample_add(phases, "from_barrier", run->reports, last_ns(r) - run->go_ns);
    }
    return errno == ENOMEM ? -1 : 0;
}

void lc_phases_free(struct lc_phases *phases)
{
    for (size_t i = 0; i < phases->count; i++)
        free(phases->sample[i]);
    phases->count = 0;
}

double lc_phases_worst(const struct lc_phases *phases, const char *name)
{
    for (size_t i = 0; i < phases->count; i++) {
        if (strcmp(phases->name[i], name) != 0)
            continue;
        int64_t worst = INT64_MIN;
        for (size_t k = 0; k < phases->phase[i].ranks; k++)
            if (phases->sample[i][k] > worst)
                worst = phases->sample[i][k];
        return (double)worst / 1e9;
    }
    return NAN;
}

double lc_phases_gate(const struct lc_collect *run)
{
    int64_t worst = 0;

    for (size_t i = 0; i < run->reports; i++)
        if (has_report(&run->report[i]) &&
            run->report[i].spawn_ns - run->report[i].begin_ns > worst)
            worst = run->report[i].spawn_ns - run->report[i].begin_ns;
    return (double)worst / 1e9;
}

double lc_phases_clock_offset(const struct lc_collect *run)
{
    int64_t worst = 0;

    for (size_t i = 0; i < run->reports; i++)
        if (llabs(run->report[i].wall_offset_ns) > llabs(worst))
            worst = run->report[i].wall_offset_ns;
    return (double)worst / 1e9;
}

double lc_phases_monotonic_offset(const struct lc_collect *run)
{
    int64_t worst = 0;

    for (size_t i = 0; i < run->reports; i++)
        if (llabs(run->report[i].offset_ns) > llabs(worst))
            worst = run->report[i].offset_ns;
    return (double)worst / 1e9;
}

double lc_phases_clock_error(const struct lc_collect *run)
{
    int64_t worst = 0;

    for (size_t i = 0; i < run->reports; i++)
        if (run->report[i].rtt_ns / 2 > worst)
            worst = run->report[i].rtt_ns / 2;
    return (double)worst / 1e9;
}
