/* SPDX-License-Identifier: MIT */
/* mkresults.c - a results database as years of benchmarks would leave it, for tests and benchmarks
 *
 *   mkresults DB RUNS [SEED [SLOWER]]   RUNS runs in one transaction; SLOWER scales Loadcast's
 * times mkresults DB --timed N              N runs through the public calls; prints the median time
 * of a reservation and of a completion, in ms mkresults DB --hostile              runs whose names
 * are made to break things
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/db.h"
#include "results/insert.h"
#include "util/clock.h"

enum { MOST = 4096 };

static uint64_t seed = 1;

/* 0 to 1; the same on every machine. */
static double chance(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 40) / (double)(1 << 24);
}

static void die(const char *text)
{
    fprintf(stderr, "mkresults: %s\n", text);
    exit(1);
}

static const struct {
    const char *name, *mode;
    double cpu_s, operations; /* per rank */
} cases[] = {
    {"numpy", "python-import", 0.15, 1200},
    {"pynamic 100x50", "pyMPI", 0.6, 5200},
    {"pynamic 100x50", "pynamic-pyMPI", 0.5, 4100},
    {"pynamic 100x50", "pynamic-bigexe", 0.4, 300},
};
static const struct {
    const char *name, *fs;
    double service_s;
} targets[] = {{"scratch", "lustre", 40e-6}, {"common", "nfs4", 120e-6}, {"tmpfs", "tmpfs", 1e-7}};
static const long widths[] = {1, 4, 16, 64};

struct made {
    int64_t total[MOST], launch[MOST], start[MOST], import[MOST], visit[MOST];
    struct lc_run_phase phase[5];
    struct lc_run_metric metric[8];
    struct lc_run run;
};

static void make_phases(struct made *m, double storm_s, double cpu_s)
{
    long ranks = m->run.key.ranks;
    bool visits = strcmp(m->run.key.mode, "python-import") != 0;

    for (long i = 0; i < ranks; i++) {
        double late = storm_s * (0.7 + 0.3 * (double)(i + 1) / (double)ranks);
        m->launch[i] = (int64_t)(1e9 * (0.02 + 0.0005 * (double)i));
        m->start[i] = (int64_t)(1e9 * (0.05 + 0.2 * late) * (0.9 + 0.2 * chance()));
        m->import[i] = (int64_t)(1e9 * (cpu_s + 0.8 * late) * (0.9 + 0.2 * chance()));
        m->visit[i] = visits ? (int64_t)(1e9 * cpu_s * 0.3 * (0.9 + 0.2 * chance())) : 0;
        m->total[i] = m->launch[i] + m->start[i] + m->import[i] + m->visit[i];
    }
    struct lc_run_phase phase[] = {{"launch", m->launch, (size_t)ranks},
                                   {"start", m->start, (size_t)ranks},
                                   {"import", m->import, (size_t)ranks},
                                   {"total", m->total, (size_t)ranks},
                                   {"visit", m->visit, (size_t)ranks}};
    memcpy(m->phase, phase, sizeof(phase));
    m->run.phase = m->phase;
    m->run.phases = visits ? 5 : 4;
    for (size_t i = 0; i < m->run.phases; i++)
        if (lc_run_phase_sum_up(&m->phase[i]) < 0)
            die("out of memory");
}

static void make_metrics(struct made *m, bool cached, double operations, double service_s)
{
    double all = cached ? operations * 0.6 : operations * (double)m->run.key.ranks;
    double idle = service_s + 100e-6;
    struct lc_run_metric metric[] = {
        {LC_METRIC_OPERATIONS, floor(all)},
        {LC_METRIC_OPERATIONS_PER, floor(all) / (double)m->run.key.ranks},
        {LC_METRIC_BYSTANDER_IDLE, idle},
        {LC_METRIC_BYSTANDER, cached ? idle * 1.1 : idle * (1 + 0.3 * (double)m->run.key.ranks)},
        {LC_METRIC_CHECK, operations * 0.6 * service_s + 0.01},
        {LC_METRIC_STAGE, 0.08},
        {LC_METRIC_IMAGE, 98e6},
        {LC_METRIC_COPY, 1.5},
    };

    memcpy(m->metric, metric, sizeof(metric));
    m->run.metric = m->metric;
    m->run.metrics = cached ? 8 : 4;
}

/* Run number n of a regular schedule: every combination in turn, one every 20 minutes. */
static void make_run(struct made *m, long n, double slower)
{
    long c = n % 4, t = n / 4 % 3, w = n / 12 % 4, with = n / 48 % 2, warm = n / 96 % 2;
    bool cached = with == 1;
    double service_s = targets[t].service_s * (warm ? 0.1 : 1) * (1 + 0.3 * chance());
    double storm_s = cases[c].operations * service_s * (double)widths[w];

    m->run = (struct lc_run){
        .status = LC_RUN_DONE,
        .key = {"nightly", cases[c].name, cases[c].mode, targets[t].name, widths[w],
                (widths[w] + 15) / 16, cached ? "loadcast" : "plain", warm ? "warm" : "cold",
                warm ? "" : "drop_caches", n / 192 + 1},
        .place = {"login1", "Example CPU 2.4 GHz", "6.1.0", targets[t].fs, "rw,relatime", "srun",
                  "Open MPI 4.1.4", "3.11.2", "2.36", "0.1.0", "", "cases: [numpy, pynamic]\n"},
        .started_ns = 1767225600000000000 + n * 1200000000000,
        .reason = "",
        .errors = ""};
    m->run.ended_ns = m->run.started_ns + 60000000000;
    snprintf(m->run.uid, sizeof(m->run.uid), "%016" PRIx64 "%016lx", seed, n);
    make_phases(m, cached ? 0 : storm_s, cases[c].cpu_s * (cached ? slower : 1));
    make_metrics(m, cached, cases[c].operations, service_s);
    m->run.total_s =
        (double)m->phase[3].max_ns / 1e9 + (cached ? m->metric[4].value + m->metric[5].value : 0);
}

/* Every fiftieth run or so came to a bad end. */
static void spoil(struct made *m)
{
    double dice = chance();

    if (dice > 0.02)
        return;
    m->run.status = dice < 0.008   ? LC_RUN_FAILED
                    : dice < 0.014 ? LC_RUN_TIMEOUT
                    : dice < 0.017 ? LC_RUN_STOPPED
                                   : LC_RUN_STARTED;
    m->run.total_s = NAN;
    m->run.phases = m->run.metrics = 0;
    m->run.reason = m->run.status == LC_RUN_FAILED ? "rank 3 ended with status 1" : "";
    m->run.errors = m->run.status == LC_RUN_FAILED ? "ImportError: no module named numpy\n" : "";
}

static void fill(struct lc_results *results, long runs, double slower)
{
    static struct made m;

    if (lc_db_exec(results, "BEGIN IMMEDIATE") < 0)
        die("cannot begin");
    for (long n = 0; n < runs; n++) {
        make_run(&m, n, slower);
        spoil(&m);
        if (lc_insert_put(results, &m.run) == LC_PUT_FAILED)
            die("cannot insert");
    }
    if (lc_db_exec(results, "COMMIT") < 0)
        die("cannot commit");
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void time_calls(struct lc_results *results, long count)
{
    static struct made m;
    double *ms = calloc((size_t)count, sizeof(*ms)), *end_ms = calloc((size_t)count, sizeof(*ms));
    struct lc_error err;

    for (long n = 0; ms && end_ms && n < count; n++) {
        struct lc_run_uid uid;
        make_run(&m, n, 1);
        struct lc_run_end end = {LC_RUN_DONE,  "",           "",           m.run.phase,
                                 m.run.phases, m.run.metric, m.run.metrics};
        uint64_t start = lc_clock_ns();
        if (lc_results_reserve(results, &m.run.key, &m.run.place, &uid, &err) < 0)
            die(err.text);
        uint64_t reserved = lc_clock_ns();
        if (lc_results_finish(results, &uid, &end, &err) < 0)
            die(err.text);
        ms[n] = (double)(reserved - start) / 1e6;
        end_ms[n] = (double)(lc_clock_ns() - reserved) / 1e6;
    }
    qsort(ms, (size_t)count, sizeof(*ms), by_value);
    qsort(end_ms, (size_t)count, sizeof(*ms), by_value);
    printf("%.3f %.3f\n", ms[count / 2], end_ms[count / 2]);
    free(ms);
    free(end_ms);
}

static void be_hostile(struct lc_results *results)
{
    static char longest[10001];
    static struct made m;
    memset(longest, 'W', 10000);
    const char *names[] = {"<script>alert(1)</script>",
                           "\"'`--></style>",
                           "&amp;&lt;",
                           longest,
                           "no\xff\xfeutf8\xc3",
                           "</script><img src=x onerror=alert(2)>",
                           "line\nbreak\r\033[31mred\t",
                           "=cmd()|calc",
                           "\xe2\x80\xaeright to left"};

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        for (long n = 0; n < 192; n += 12) {
            make_run(&m, n, 1);
            m.run.key.suite = m.run.key.name = m.run.key.target = names[i];
            m.run.place.host = m.run.place.suite_text = names[i];
            m.run.errors = m.run.reason = names[i];
            seed++;
            snprintf(m.run.uid, sizeof(m.run.uid), "%016zx%016lx", i, n);
            if (n == 96)
                m.run.status = LC_RUN_FAILED;
            if (lc_insert_put(results, &m.run) == LC_PUT_FAILED)
                die("cannot insert");
        }
}

int main(int argc, char **argv)
{
    struct lc_error err;

    if (argc < 3)
        die("usage: mkresults DB RUNS [SEED [SLOWER]] | --timed N | --hostile");
    struct lc_results *results = lc_results_open(argv[1], LC_RESULTS_WRITE, &err);
    if (!results)
        die(err.text);
    if (strcmp(argv[2], "--timed") == 0) {
        time_calls(results, argc > 3 ? strtol(argv[3], NULL, 10) : 100);
    } else if (strcmp(argv[2], "--hostile") == 0) {
        be_hostile(results);
    } else {
        seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
        fill(results, strtol(argv[2], NULL, 10), argc > 4 ? strtod(argv[4], NULL) : 1);
    }
    lc_results_close(results);
    return 0;
}
