/* SPDX-License-Identifier: MIT */
/* job_results.c - a job from measured runs */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "predict/job.h"
#include "results/read.h"

struct found {
    struct lc_job *job;
    bool has_requests;
};

/* Runs come in the order of their ids: the newest is taken last. */
static int run_take(void *arg, const struct lc_run *run)
{
    struct found *f = arg;
    double requests = lc_run_metric(run, LC_METRIC_OPERATIONS_PER);
    double image = lc_run_metric(run, LC_METRIC_IMAGE);
    double cpu_s = lc_run_metric(run, LC_METRIC_CPU_CONTROL);
    bool is_plain = strcmp(run->key.with, "plain") == 0;

    if (is_plain && !isnan(requests)) {
        f->has_requests = true;
        f->job->lookups = requests;
        snprintf(f->job->name, sizeof(f->job->name), "%s", run->key.name);
    }
    if (is_plain && !isnan(cpu_s))
        f->job->cpu_s = cpu_s;
    if (!is_plain && !isnan(image))
        f->job->image_bytes = f->job->bytes = image;
    return 0;
}

int lc_job_from_results(struct lc_job *job, const char *db, const char *name, struct lc_error *err)
{
    const struct lc_run_filter filter = {.name = name, .status = "done"};
    struct lc_results *results = lc_results_open(db, LC_RESULTS_READ, err);
    struct found f = {.job = job};
    int rc;

    *job = (struct lc_job){.name = ""};
    if (!results)
        return -1;
    rc = lc_results_each(results, &filter, LC_READ_METRICS, run_take, &f, err);
    lc_results_close(results);
    if (rc == 0 && !f.has_requests)
        return lc_error_set(err,
                            "'%s' has no plain run%s%s whose requests were counted; measure one: "
                            "loadcast bench",
                            db, name ? " of " : "", name ? name : "");
    job->image_entries = job->lookups;
    snprintf(job->note, sizeof(job->note),
             "measured runs count requests without their kind: all are taken for look-ups");
    return rc;
}
