/* SPDX-License-Identifier: MIT */
/* job_results.c - a job from measured runs */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "predict/job.h"
#include "results/read.h"

struct found {
    struct lc_job *job;
    char name[256], mode[64]; /* of the plain run that was taken */
    bool has_requests, has_image;
};

/* NAN: there is none, or one that cannot be. */
static double metric_of(const struct lc_run *run, const char *name)
{
    double value = lc_run_metric(run, name);

    return value >= 0 && value <= 1e15 ? value : NAN;
}

/* Runs come in the order of their ids: the newest is taken last. */
static int plain_take(void *arg, const struct lc_run *run)
{
    struct found *f = arg;
    double requests = metric_of(run, LC_METRIC_OPERATIONS_PER);
    double cpu_s = metric_of(run, LC_METRIC_CPU_CONTROL);

    if (isnan(requests))
        return 0;
    f->has_requests = true;
    f->job->lookups = requests;
    f->job->cpu_s = isnan(cpu_s) ? 0 : cpu_s;
    snprintf(f->name, sizeof(f->name), "%s", run->key.name);
    snprintf(f->mode, sizeof(f->mode), "%s", run->key.mode);
    return 0;
}

/* The images of other arms are archives: tarballs, squashfs. */
static int image_take(void *arg, const struct lc_run *run)
{
    struct found *f = arg;
    double image = metric_of(run, LC_METRIC_IMAGE);

    if (isnan(image) || strncmp(run->key.with, "loadcast", strlen("loadcast")) != 0)
        return 0;
    f->has_image = true;
    f->job->image_bytes = f->job->bytes = image;
    return 0;
}

static int runs_read(struct found *f, const struct lc_results *results, const char *name,
                     struct lc_error *err)
{
    const struct lc_run_filter plain = {.name = name, .with = "plain", .status = "done"};
    const struct lc_run_filter same = {.name = f->name, .mode = f->mode, .status = "done"};

    if (lc_results_each(results, &plain, LC_READ_METRICS, plain_take, f, err) < 0)
        return -1;
    return f->has_requests ? lc_results_each(results, &same, LC_READ_METRICS, image_take, f, err)
                           : 0;
}

static void assumptions_note(const struct found *f)
{
    snprintf(f->job->note, sizeof(f->job->note),
             "measured runs count requests without their kind: all are taken for look-ups%s%s",
             f->has_image ? "" : "; no run with Loadcast tells the files' size: taken for 0",
             f->job->cpu_s > 0 ? "" : "; CPU time unknown: --cpu tells it");
}

int lc_job_from_results(struct lc_job *job, const char *db, const char *name, struct lc_error *err)
{
    struct lc_results *results = lc_results_open(db, LC_RESULTS_READ, err);
    struct found f = {.job = job};
    int rc;

    *job = (struct lc_job){.name = ""};
    if (!results)
        return -1;
    rc = runs_read(&f, results, name, err);
    lc_results_close(results);
    if (rc == 0 && !f.has_requests)
        return lc_error_set(err,
                            "'%s' has no plain run%s%s whose requests were counted; measure one: "
                            "loadcast bench",
                            db, name ? " of " : "", name ? name : "");
    snprintf(job->name, sizeof(job->name), "%.*s", (int)sizeof(job->name) - 1, f.name);
    job->image_entries = job->lookups;
    assumptions_note(&f);
    return rc;
}
