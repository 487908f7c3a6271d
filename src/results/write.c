/* SPDX-License-Identifier: MIT */
/* write.c - reserve a run, finish it, add a metric */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "config.h"
#include "results/db.h"
#include "results/insert.h"
#include "results/rescue.h"
#include "results/spool.h"
#include "results/text.h"
#include "util/clock.h"

static int uid_create(struct lc_run_uid *uid, struct lc_error *err)
{
    uint64_t bits[2];

    if (getrandom(bits, sizeof(bits), 0) != sizeof(bits))
        return lc_error_errno(err, "cannot name a run: no random numbers");
    snprintf(uid->s, sizeof(uid->s), "%016" PRIx64 "%016" PRIx64, bits[0], bits[1]);
    return 0;
}

/* Calls 'work' in a transaction, which is rolled back unless it returns 0. */
static int transaction_run(const struct lc_results *r,
                           int (*work)(const struct lc_results *, void *), void *arg,
                           struct lc_error *err)
{
    if (lc_db_exec(r, "BEGIN IMMEDIATE") < 0)
        return lc_db_fail(r, "write to", err);
    int rc = work(r, arg);
    if (rc < 0 || (rc == 0 && lc_db_exec(r, "COMMIT") < 0))
        rc = lc_db_fail(r, "write to", err);
    if (rc != 0)
        lc_db_exec(r, "ROLLBACK");
    return rc;
}

static int run_insert(const struct lc_results *r, void *run)
{
    return lc_insert_run(r, run);
}

int lc_results_reserve(struct lc_results *r, const struct lc_run_key *key,
                       const struct lc_run_place *place, struct lc_run_uid *uid,
                       struct lc_error *err)
{
    struct lc_run run = {.key = *key, .place = *place, .total_s = NAN, .status = LC_RUN_STARTED};

    if (key->ranks < 1 || key->nodes < 1)
        return lc_error_set(err, "cannot reserve a run on %ld ranks of %ld nodes", key->ranks,
                            key->nodes);
    if (uid_create(uid, err) < 0)
        return -1;
    strcpy(run.uid, uid->s);
    run.started_ns = (int64_t)lc_clock_wall_ns();
    if (!run.place.version)
        run.place.version = LC_VERSION;
    return r->db ? transaction_run(r, run_insert, &run, err) : lc_spool_put(r, &run, err);
}

static int run_end(const struct lc_results *r, void *run)
{
    return lc_insert_end(r, run);
}

/* The headline figure of a run: total time of the slowest rank, plus check and staging. */
static double headline_s(const struct lc_run *run)
{
    const struct lc_run_phase *total = lc_run_phase(run, "total");
    double check_s = lc_run_metric(run, LC_METRIC_CHECK);
    double stage_s = lc_run_metric(run, LC_METRIC_STAGE);

    if (run->status != LC_RUN_DONE || !total || total->ranks == 0)
        return NAN;
    return (double)total->max_ns / 1e9 + (isnan(check_s) ? 0 : check_s) +
           (isnan(stage_s) ? 0 : stage_s);
}

static int run_finish(struct lc_results *r, struct lc_run *run, struct lc_error *err)
{
    for (size_t i = 0; i < run->phases; i++)
        if (lc_run_phase_sum_up(&run->phase[i]) < 0)
            return lc_error_errno(err, "cannot finish a run");
    run->total_s = headline_s(run);
    if (!r->db)
        return lc_spool_finish(r, run, err);
    int rc = transaction_run(r, run_end, run, err);
    if (rc < 0)
        lc_run_rescue(r, run, err);
    return rc > 0 ? lc_error_set(err, "run %s is not reserved, or has ended before", run->uid) : rc;
}

int lc_results_finish(struct lc_results *r, const struct lc_run_uid *uid,
                      const struct lc_run_end *how, struct lc_error *err)
{
    struct lc_run run = {.status = how->status,
                         .reason = how->reason,
                         .key.nodes = how->nodes,
                         .phases = how->phases,
                         .metric = (struct lc_run_metric *)how->metric,
                         .metrics = how->metrics};

    if (how->status == LC_RUN_STARTED)
        return lc_error_set(err, "a run cannot end as 'started'");
    strcpy(run.uid, uid->s);
    run.ended_ns = (int64_t)lc_clock_wall_ns();
    run.errors = lc_text_tail(how->errors ? how->errors : "");
    run.phase = calloc(how->phases + 1, sizeof(*run.phase));
    if (!run.phase)
        return lc_error_errno(err, "cannot finish a run");
    if (how->phases)
        memcpy(run.phase, how->phase, how->phases * sizeof(*run.phase));
    int rc = run_finish(r, &run, err);
    free(run.phase);
    return rc;
}

int lc_results_metric(struct lc_results *r, const struct lc_run_uid *uid, const char *name,
                      double value, struct lc_error *err)
{
    if (isnan(value))
        return lc_error_set(err, "metric '%s' is not a number", name);
    if (!r->db)
        return lc_spool_metric(r, uid->s, name, value, err);
    int64_t id = lc_insert_find(r, uid->s, false);
    if (id == 0)
        return lc_error_set(err, "run %s is not reserved", uid->s);
    return lc_insert_metric(r, id, name, value) < 0 ? lc_db_fail(r, "write to", err) : 0;
}
