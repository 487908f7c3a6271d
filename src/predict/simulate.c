/* SPDX-License-Identifier: MIT */
/* simulate.c - the chain of stage-mpi on SimGrid's simulated MPI, beside the analytic model
 *
 * Some chunks are simulated; the rest of the stream follows at the distance that the last of them
 * had. Links are simulated without the factors by which SimGrid imitates TCP, since the machine
 * file says what a link does. */
#include "predict/simulate.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "predict/staging.h"
#include "stage/mpi/ring.h"
#include "util/ending.h"
#include "util/own_path.h"
#include "util/run.h"

enum { CHUNKS = 32 };
static const double MOST_DIFFERENCE = 0.15;

static int platform_write(const char *dir, const struct lc_machine_model *m, long nodes)
{
    char path[PATH_MAX + 32];

    snprintf(path, sizeof(path), "%s/platform.xml", dir);
    FILE *out = fopen(path, "w");
    if (!out)
        return -1;
    /* Each way has two links: up to the switch and down. */
    fprintf(out,
            "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM "
            "\"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">\n"
            "<cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"0-%ld\" speed=\"1Gf\" "
            "bw=\"%.6fMBps\" lat=\"%.9fs\" sharing_policy=\"SPLITDUPLEX\"/>\n</platform>\n",
            nodes - 1, m->link_mb_s, m->link_latency_us * 1e-6 / 2);
    int rc = fclose(out);
    snprintf(path, sizeof(path), "%s/hosts", dir);
    out = rc == 0 ? fopen(path, "w") : NULL;
    if (!out)
        return -1;
    for (long i = 0; i < nodes; i++)
        fprintf(out, "n%ld\n", i);
    return fclose(out);
}

static void directory_remove(const char *dir)
{
    char path[PATH_MAX + 32];

    snprintf(path, sizeof(path), "%s/platform.xml", dir);
    unlink(path);
    snprintf(path, sizeof(path), "%s/hosts", dir);
    unlink(path);
    rmdir(dir);
}

static void command_compose(struct lc_argv *argv, const char *dir, const char *program, long nodes)
{
    static const char *const settings[] = {
        "contexts/stack-size:128",      "contexts/guard-size:0",    "smpi/privatization:no",
        "smpi/simulate-computation:no", "smpi/shared-malloc:local", "network/model:CM02",
        "network/crosstraffic:0",
    };

    lc_argv_words(argv, "smpirun --log=root.thres:error -np");
    lc_argv_printf(argv, "%ld", nodes);
    lc_argv_add(argv, "-platform");
    lc_argv_printf(argv, "%s/platform.xml", dir);
    lc_argv_add(argv, "-hostfile");
    lc_argv_printf(argv, "%s/hosts", dir);
    for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++)
        lc_argv_printf(argv, "--cfg=%s", settings[i]);
    lc_argv_add(argv, program);
    lc_argv_printf(argv, "%d", CHUNKS);
}

/* Seconds of the whole stream; NAN with err filled. */
static double width_simulate(const struct lc_prediction *p, long nodes, const char *dir,
                             const char *program, struct lc_error *err)
{
    double chunks = ceil(p->job->image_bytes / LC_RING_PAYLOAD) + 1, first_s, steady_s;
    struct lc_argv argv = {0};
    struct lc_buf out = {0};
    double total_s = NAN;

    if (platform_write(dir, p->machine, nodes) < 0) {
        lc_error_errno(err, "cannot write to '%s'", dir);
        return NAN;
    }
    command_compose(&argv, dir, program, nodes);
    if (lc_run_output_quiet(&argv, &out, err) == 0) {
        const char *line = strstr(lc_buf_text(&out), "chain ");
        if (line && sscanf(line, "chain %lf %lf", &first_s, &steady_s) == 2)
            total_s = first_s + (chunks - CHUNKS) * steady_s;
        else
            lc_error_set(err, "smpirun printed no result");
    }
    lc_argv_free(&argv);
    lc_buf_free(&out);
    return total_s;
}

/* Every width at which they differ is named: there is room for as many as can be asked for. */
static void differences_note(struct lc_prediction *p)
{
    size_t n = 0, size = sizeof(p->simulation);

    for (size_t i = 0; i < p->widths && n < size; i++) {
        const struct lc_predicted_width *w = &p->width[i];
        double difference = w->chain_s / w->simulated_s - 1;
        if (fabs(difference) > MOST_DIFFERENCE) /* not where it is NAN */
            n += (size_t)snprintf(
                p->simulation + n, size - n, "%s%ld (%+.0f %%)",
                n ? ", " : "model and simulation of the chain differ by more than 15 % at nodes: ",
                w->nodes, 100 * difference);
    }
    if (n > 0 && n < size)
        snprintf(p->simulation + n, size - n, "; see doc/figures.md");
}

/* The program that is simulated, and smpirun, which starts it. */
static bool is_available(char program[PATH_MAX + 32])
{
    char dir[PATH_MAX];

    if (lc_own_directory(dir, NULL) < 0)
        return false;
    snprintf(program, PATH_MAX + 32, "%s/predict-chain", dir);
    struct lc_argv which = {0};
    lc_argv_words(&which, "smpirun -help");
    struct lc_buf out = {0};
    bool is_there = access(program, X_OK) == 0 && lc_run_output_quiet(&which, &out, NULL) == 0;
    lc_argv_free(&which);
    lc_buf_free(&out);
    return is_there;
}

/* Each width in turn, until one fails. 0, or -1 with err filled. */
static int widths_simulate(struct lc_prediction *p, const char *dir, const char *program,
                           struct lc_error *err)
{
    for (size_t i = 0; i < p->widths; i++) {
        struct lc_predicted_width *w = &p->width[i];
        if (w->nodes < LC_SIMULATE_LEAST_NODES || w->nodes > LC_SIMULATE_MOST_NODES)
            continue;
        w->simulated_s = width_simulate(p, w->nodes, dir, program, err);
        if (isnan(w->simulated_s) || lc_ending_came())
            return -1;
    }
    return 0;
}

/* A signal that comes meanwhile ends us when the directory has been removed; one from the terminal
 * ends smpirun, too. */
void lc_simulate(struct lc_prediction *p)
{
    struct sigaction before[LC_ENDINGS];
    char program[PATH_MAX + 32], dir[PATH_MAX];
    const char *tmp = getenv("TMPDIR");
    struct lc_error err;

    snprintf(dir, sizeof(dir), "%.4000s/loadcast-simulate.XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!is_available(program)) {
        snprintf(p->simulation, sizeof(p->simulation),
                 "not simulated: SimGrid is not here (smpirun, and predict-chain built with it); "
                 "the chain is by the analytic model only");
        return;
    }
    lc_ending_catch(before);
    if (!mkdtemp(dir)) {
        lc_ending_release(before);
        snprintf(p->simulation, sizeof(p->simulation),
                 "not simulated: cannot make a directory '%.250s': %s; the chain is by the "
                 "analytic model only",
                 dir, strerror(errno));
        return;
    }
    if (widths_simulate(p, dir, program, &err) < 0)
        snprintf(p->simulation, sizeof(p->simulation), "the simulation failed: %.250s", err.text);
    else
        differences_note(p);
    directory_remove(dir);
    lc_ending_release(before);
}
