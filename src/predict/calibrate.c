/* SPDX-License-Identifier: MIT */
/* calibrate.c - measure a file system as a machine file describes it, with few requests
 *
 * The rate of a server is seen only while it is busy all the time: some threads ask at once, each
 * for names of its own, so that the client's cache does not answer. Answers are counted while every
 * thread asks: starting threads here and in the client's file system (50 ms for 32 at once on
 * stormfs) is not the server's time, and a thread that the scheduler holds up does not make the
 * server look faster. The latency is what the quickest of some requests, one after
 * another, took beyond the service. */
#include "predict/calibrate.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "predict/calibrate_private.h"
#include "util/clock.h"
#include "util/ending.h"
#include "util/io.h"

enum { FILES = 32, THREADS = 32, ONE_BY_ONE = 64 };
static const double READ_BYTES = 32 << 20;

struct lc_calibration lc_calibration_plan(void)
{
    struct lc_calibration p = {.files = FILES,
                               .lookups = THREADS * LC_CALIBRATE_ANSWERS,
                               .misses = THREADS * LC_CALIBRATE_ANSWERS,
                               .opens = THREADS * LC_CALIBRATE_ANSWERS,
                               .one_by_one = ONE_BY_ONE,
                               .threads = THREADS,
                               .read_bytes = READ_BYTES,
                               .patience_s = 20};

    /* A file costs up to six: searched for, made, written with a look at its capabilities, searched
     * for again, removed. A block written costs up to three. An open looks its name up. */
    p.requests = 6 * (p.files + 2) + 3 * (long)(READ_BYTES / LC_CALIBRATE_BLOCK) + p.lookups +
                 p.misses + 2 * p.opens + 3 * p.one_by_one;
    p.requests += p.requests / 5; /* attributes that the client asks for again as they expire */
    return p;
}

typedef int request_fn(const char *dir, long number);

static int lookup_ask(const char *dir, long number)
{
    char path[4200];
    struct stat st;

    snprintf(path, sizeof(path), "%s/file-%ld", dir, number % FILES);
    return stat(path, &st);
}

static int miss_ask(const char *dir, long number)
{
    char path[4200];
    struct stat st;

    snprintf(path, sizeof(path), "%s/absent-%ld", dir, number);
    return stat(path, &st) == 0 ? (errno = EEXIST, -1) : 0;
}

static int open_ask(const char *dir, long number)
{
    char path[4200];

    snprintf(path, sizeof(path), "%s/file-%ld", dir, number % FILES);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    return fd < 0 ? -1 : close(fd);
}

/* --- many threads at once ----------------------------------------------------------------------
 */
struct phase {
    request_fn *ask;
    const char *dir;
    long first;                         /* number of the first request */
    uint64_t begin_ns, end_ns;          /* until then all wait; from then on none asks */
    _Atomic long next;                  /* number of the next thread */
    _Atomic int failed;                 /* errno */
    struct lc_answers answers[THREADS]; /* of each thread */
};

static void *phase_ask(void *arg)
{
    struct phase *p = arg;
    long thread = atomic_fetch_add(&p->next, 1);

    while (lc_clock_ns() < p->begin_ns)
        usleep(100);
    for (long i = 0; i < LC_CALIBRATE_ANSWERS && !p->failed; i++) {
        if (p->ask(p->dir, p->first + thread * LC_CALIBRATE_ANSWERS + i) < 0)
            atomic_store(&p->failed, errno ? errno : EIO);
        lc_calibrate_note(&p->answers[thread]);
        if (i > 0 && lc_calibrate_is_over(p->end_ns))
            break;
    }
    return NULL;
}

/* Requests per second of all threads together; -1 with errno. */
static double phase_rate(request_fn *ask, const char *dir, long first, double patience_s)
{
    struct phase p = {.ask = ask,
                      .dir = dir,
                      .first = first,
                      .begin_ns = lc_calibrate_end_ns(0.02),
                      .end_ns = lc_calibrate_end_ns(0.02 + patience_s)};
    pthread_t thread[THREADS];
    int started = 0;

    for (; started < THREADS; started++)
        if (pthread_create(&thread[started], NULL, phase_ask, &p) != 0)
            break;
    for (int i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
    errno = p.failed ? p.failed : EAGAIN;
    return p.failed || started < THREADS ? -1 : lc_calibrate_rate(p.answers, THREADS);
}

/* The quickest of some requests, one after another, in seconds; -1 with errno. */
static double quickest_s(request_fn *ask, const char *dir, long first, double patience_s)
{
    uint64_t best_ns = UINT64_MAX, end_ns = lc_calibrate_end_ns(patience_s);

    for (long i = 0; i < ONE_BY_ONE && (i == 0 || !lc_calibrate_is_over(end_ns)); i++) {
        uint64_t from_ns = lc_clock_ns();
        if (ask(dir, first + i) < 0)
            return -1;
        uint64_t took_ns = lc_clock_ns() - from_ns;
        best_ns = took_ns < best_ns ? took_ns : best_ns;
    }
    return (double)best_ns / 1e9;
}
/* --- the whole ---------------------------------------------------------------------------------
 */

static int files_make(const char *dir)
{
    char path[4200];

    for (int i = 0; i < FILES; i++) {
        snprintf(path, sizeof(path), "%s/file-%d", dir, i);
        int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd < 0 || lc_write_all(fd, "x", 1) < 0 || close(fd) < 0)
            return -1;
        errno = EINTR;
        if (lc_ending_came())
            return -1;
    }
    return 0;
}

static void files_remove(const char *dir)
{
    char path[4200];

    for (int i = 0; i < FILES; i++) {
        snprintf(path, sizeof(path), "%s/file-%d", dir, i);
        unlink(path);
    }
    snprintf(path, sizeof(path), "%s/data", dir);
    unlink(path);
    rmdir(dir);
}

/* Between what is possible and what a machine file allows. */
static double within(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

/* A name that the client answers itself takes a fraction of what the server takes. */
static double is_cached(double cached_s, double asked_s)
{
    return cached_s < asked_s / 5;
}

static int all_measure(const char *dir, double wait_s, struct lc_machine_model *m)
{
    const long numbers = THREADS * LC_CALIBRATE_ANSWERS;
    double misses = files_make(dir) < 0 ? -1 : phase_rate(miss_ask, dir, 0, wait_s);
    double lookups = misses < 0 ? -1 : phase_rate(lookup_ask, dir, 0, wait_s);
    double opens = lookups < 0 ? -1 : phase_rate(open_ask, dir, 0, wait_s);
    double miss_s = opens < 0 ? -1 : quickest_s(miss_ask, dir, numbers, wait_s);
    double again_s = miss_s < 0 ? -1 : quickest_s(miss_ask, dir, numbers, wait_s);
    double name_s = again_s < 0 ? -1 : quickest_s(lookup_ask, dir, 0, wait_s);
    double read = name_s < 0 ? -1 : lc_calibrate_read_mb_s(dir, READ_BYTES, wait_s);

    if (read < 0)
        return -1;
    if (lc_ending_came()) {
        errno = EINTR;
        return -1;
    }
    m->misses_per_s = within(misses, 1, 1e9);
    m->lookups_per_s = within(lookups, 1, 1e9);
    m->opens_per_s = within(opens, 1, 1e9);
    m->meta_latency_us = within((miss_s - 1 / misses) * 1e6, 0, 1e7);
    m->absent_cached = is_cached(again_s, miss_s);
    m->names_cached = is_cached(name_s, miss_s);
    m->node_mb_s = m->server_mb_s = m->total_mb_s = within(read, 0.1, 1e7);
    m->memory_mb_s = within(lc_calibrate_memory_mb_s(), 0.1, 1e7);
    return 0;
}

static void about_fill(struct lc_machine_model *m, const char *dir)
{
    snprintf(m->about.source, sizeof(m->about.source),
             "measured by loadcast predict --calibrate below %.400s", dir);
    snprintf(m->about.fitted, sizeof(m->about.fitted),
             "metadata rates, latency, caches, data.node_mb_s, node.memory_mb_s");
    snprintf(m->about.assumed, sizeof(m->about.assumed),
             "nodes, ranks per node, network and launch: set them. One node cannot see what all "
             "get: data.total_mb_s is its own rate; a server that one node cannot keep busy is "
             "faster than it seems");
    snprintf(m->about.error, sizeof(m->about.error), "unknown");
}

int lc_calibrate(const struct lc_calibration *plan, const char *dir, struct lc_machine_model *m,
                 struct lc_error *err)
{
    struct sigaction before[LC_ENDINGS];
    char own[4096];
    int rc;

    *m = (struct lc_machine_model){.name = "calibrated",
                                   .nodes = 1,
                                   .ranks_per_node = (double)sysconf(_SC_NPROCESSORS_ONLN),
                                   .meta_servers = 1,
                                   .data_servers = 1,
                                   .data_cached = 1,
                                   .link_mb_s = 1000,
                                   .link_latency_us = 2,
                                   .cpu_speed = 1,
                                   .launch_s = 1};
    snprintf(own, sizeof(own), "%.3900s/loadcast-calibrate.XXXXXX", dir);
    /* Before it is made: a slow server has it long before mkdir() returns. */
    lc_ending_catch(before);
    if (!mkdtemp(own)) {
        lc_error_errno(err, "cannot make a directory below '%s'", dir);
        lc_ending_release(before);
        return -1;
    }
    rc = all_measure(own, plan->patience_s, m);
    if (rc < 0)
        lc_error_errno(err, "cannot measure below '%s'", dir);
    files_remove(own);
    lc_ending_release(before);
    about_fill(m, dir);
    return rc;
}
