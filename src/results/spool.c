/* SPDX-License-Identifier: MIT */
/* spool.c - one JSON file per run, for network file systems */
#include "results/spool.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "results/db.h"
#include "results/run_json.h"
#include "util/json.h"

int lc_spool_make(const struct lc_results *r, struct lc_error *err)
{
    return mkdir(r->spool, 0777) < 0 && errno != EEXIST
               ? lc_error_errno(err, "cannot make '%s' for the results", r->spool)
               : 0;
}

static void spool_path(char *out, size_t size, const struct lc_results *r, const char *uid)
{
    snprintf(out, size, "%s/%s.json", r->spool, uid);
}

static int json_write(const struct lc_results *r, const char *uid, json_t *value,
                      struct lc_error *err)
{
    char path[PATH_MAX];

    spool_path(path, sizeof(path), r, uid);
    return lc_json_write(value, path, err);
}

int lc_spool_put(const struct lc_results *r, const struct lc_run *run, struct lc_error *err)
{
    json_t *value = lc_run_to_json(run);
    int rc = value ? json_write(r, run->uid, value, err)
                   : lc_error_set(err, "cannot write a run: out of memory");

    json_decref(value);
    return rc;
}

/* The run's file as JSON, or NULL with err filled. */
static json_t *json_read(const struct lc_results *r, const char *uid, struct lc_error *err)
{
    char path[PATH_MAX];
    json_error_t why;
    json_t *value;

    spool_path(path, sizeof(path), r, uid);
    value = json_load_file(path, 0, &why);
    if (!value)
        lc_error_set(err, "cannot read '%s': %s", path, why.text);
    return value;
}

int lc_spool_finish(const struct lc_results *r, const struct lc_run *end, struct lc_error *err)
{
    struct lc_run run;
    json_t *value = json_read(r, end->uid, err);
    int rc = value ? lc_run_from_json(value, &run, err) : -1;

    if (rc == 0) {
        struct lc_run whole = *end;
        if (run.status != LC_RUN_STARTED) {
            rc = lc_error_set(err, "run %s has ended before", end->uid);
        } else {
            whole.key = run.key;
            whole.key.nodes = end->key.nodes ? end->key.nodes : run.key.nodes;
            whole.place = run.place;
            whole.started_ns = run.started_ns;
            rc = lc_spool_put(r, &whole, err);
        }
        lc_run_release(&run);
    }
    json_decref(value);
    return rc;
}

int lc_spool_metric(const struct lc_results *r, const char *uid, const char *name, double number,
                    struct lc_error *err)
{
    json_t *value = json_read(r, uid, err);

    if (!value)
        return -1;
    json_object_set_new(json_object_get(value, "metrics"), name, json_real(number));
    int rc = json_write(r, uid, value, err);
    json_decref(value);
    return rc;
}
