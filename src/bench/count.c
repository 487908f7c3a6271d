/* SPDX-License-Identifier: MIT */
/* count.c - operations by stormfs's counters or by trace */
#include "bench/count.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/clock.h"

/* The same ranks from the directory itself: what is left is processor time. */
static double control(const struct lc_point *point)
{
    struct lc_point p = *point;
    struct lc_measured m;

    p.is_control = p.is_quiet = true;
    p.is_cold = false;
    p.calm = NULL;
    lc_measure(&p, &m);
    double seconds = m.total_s;
    lc_measured_free(&m);
    return seconds;
}

static int by_counters(const struct lc_point *point, struct lc_bench_line *line,
                       struct lc_error *err)
{
    struct lc_target *t = point->c->target;
    struct lc_point p = *point;
    struct lc_target_counts counts;
    struct lc_measured m;
    char how[64];

    p.is_quiet = true;
    if (lc_temper(&p, how, sizeof(how), err) < 0 || lc_target_reset(t, err) < 0)
        return -1;
    lc_measure(&p, &m);
    int rc = m.status == LC_RUN_DONE ? lc_target_counts(t, &counts, err)
                                     : lc_error_set(err, "%s", m.reason);
    lc_measured_free(&m);
    if (rc < 0)
        return -1;
    line->operations = (double)counts.requests;
    line->operations_per_rank = line->operations / (double)point->width.ranks;
    line->busy_s = counts.busy_s;
    line->control_s = control(point);
    return 0;
}

/* Metadata calls of one command on the target: what a server would be asked. */
static int trace(const struct lc_point *point, const struct lc_argv *command, double *calls,
                 struct lc_error *err)
{
    char file[] = "/tmp/loadcast-bench-trace.XXXXXX";
    struct lc_argv argv = {0};
    json_int_t ok = 0, failed = 0;
    int fd = mkstemp(file);

    if (fd < 0)
        return lc_error_errno(err, "cannot make a temporary file");
    close(fd);
    lc_argv_add(&argv, point->c->programs->loadcast);
    lc_argv_words(&argv, "trace --json");
    lc_argv_add(&argv, file);
    lc_argv_add(&argv, "--under");
    lc_argv_add(&argv, point->c->target->root);
    lc_argv_words(&argv, "-o /dev/null --");
    for (size_t i = 0; i < command->count; i++)
        lc_argv_add(&argv, command->item[i]);
    int rc = lc_run(&argv, NULL, err);
    json_t *all = rc == 0 ? json_load_file(file, 0, NULL) : NULL;
    if (rc == 0 && json_unpack(all, "{s:{s:{s:I, s:I}}}", "totals", "metadata", "ok", &ok, "failed",
                               &failed) < 0)
        rc = lc_error_set(err, "trace gave no totals");
    *calls = (double)(ok + failed);
    json_decref(all);
    lc_argv_free(&argv);
    unlink(file);
    return rc;
}

static int trace_rank(const struct lc_point *point, double *calls, struct lc_error *err)
{
    struct lc_program p;
    struct lc_argv command = {0};

    if (lc_case_program(point->c, point->c->target->root, &p, err) < 0)
        return -1;
    int rc = point->calm ? lc_calm_wrap(point->calm, &p, err) : 0;
    lc_argv_add(&command, "env");
    for (size_t i = 0; i < p.variable.count; i++)
        lc_argv_add(&command, p.variable.item[i]);
    for (size_t i = 0; i < p.argv.count; i++)
        if (strcmp(p.argv.item[i], "{start}") == 0)
            lc_argv_printf(&command, "%.9f", (double)lc_clock_wall_ns() / 1e9);
        else
            lc_argv_add(&command, p.argv.item[i]);
    if (rc == 0)
        rc = trace(point, &command, calls, err);
    lc_argv_free(&command);
    lc_program_free(&p);
    return rc;
}

static int by_trace(const struct lc_point *point, struct lc_bench_line *line, struct lc_error *err)
{
    double rank = 0, check = 0;
    struct lc_argv command = {0};
    int rc = trace_rank(point, &rank, err);

    if (rc == 0 && point->calm) {
        lc_argv_add(&command, point->c->programs->loadcast);
        lc_argv_add(&command, "check");
        lc_argv_add(&command, point->calm->image);
        rc = trace(point, &command, &check, err);
        lc_argv_free(&command);
    }
    if (rc < 0)
        return -1;
    line->operations_per_rank = rank;
    line->operations = rank * (double)point->width.ranks + check;
    return 0;
}

void lc_count(const struct lc_point *point, struct lc_bench_line *line,
              void (*say)(const char *text))
{
    struct lc_error err;
    char text[1200];
    int rc = point->c->target->spec->stormfs ? by_counters(point, line, &err)
                                             : by_trace(point, line, &err);

    if (rc == 0 || !say)
        return;
    snprintf(text, sizeof(text), "operations of '%s' on '%s' were not counted: %.900s",
             point->c->spec->name, point->c->target->spec->name, err.text);
    say(text);
}
