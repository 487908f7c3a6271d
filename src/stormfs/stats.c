/* SPDX-License-Identifier: MIT */
/* stats.c - the counters as JSON */
#include "stormfs/stats.h"

#include <unistd.h>

#include "config.h"
#include "stormfs/storm.h"
#include "util/json.h"

static json_t *number_json(uint64_t n)
{
    return json_integer((json_int_t)n);
}

static json_t *seconds_json(double ns)
{
    return json_real(ns / 1e9);
}

/* {"LOOKUP": {"ok": 3, "absent": 1, "error": 0}, ...}: operations without requests are left out. */
static json_t *operations_json(const struct lc_counters *c, uint64_t *requests)
{
    json_t *all = json_object();

    *requests = 0;
    for (int op = 0; op < LC_OPS; op++) {
        uint64_t n = c->count[op][0] + c->count[op][1] + c->count[op][2];
        if (n == 0)
            continue;
        json_t *results = json_object();
        for (int res = 0; res < LC_RESULTS; res++)
            json_object_set_new(results, lc_result_name(res), number_json(c->count[op][res]));
        json_object_set_new(all, lc_op_name(op), results);
        *requests += n;
    }
    return all;
}

static json_t *counters_json(const struct lc_counters *c)
{
    uint64_t requests;
    json_t *ops = operations_json(c, &requests);

    return json_pack("{s:o, s:o, s:o, s:o}", "requests", number_json(requests), "operations", ops,
                     "bytes_read", number_json(c->bytes_read), "bytes_written",
                     number_json(c->bytes_written));
}

/* What a client waits for that has a machine of its own: no CPU time is in it. */
static json_t *server_time_json(const struct lc_histogram *h)
{
    return json_pack("{s:o, s:o, s:o}", "median",
                     seconds_json((double)lc_histogram_quantile_ns(h, 0.5)), "p95",
                     seconds_json((double)lc_histogram_quantile_ns(h, 0.95)), "max",
                     seconds_json((double)atomic_load(&h->max_ns)));
}

static json_t *mounts_json(const struct lc_storm *storm, struct lc_counters *total)
{
    json_t *all = json_array();

    for (size_t i = 0; i < storm->mounts; i++) {
        const struct lc_storm_mount *m = &storm->mount[i];
        json_t *one = counters_json(&m->counters);
        json_object_set_new(one, "mount", lc_json_text(m->path));
        json_object_set_new(one, "server_time_s", server_time_json(&m->server_time));
        json_object_set_new(one, "threads", json_integer(atomic_load(&m->threads)));
        json_array_append_new(all, one);
        lc_counters_sum(total, &m->counters);
    }
    return all;
}

/* [{"name": "tar", "requests": 12}, ...], those of this stormfs */
static json_t *once_programs_json(const struct lc_once *once)
{
    json_t *all = json_array();

    for (unsigned i = 0; i < atomic_load(&once->count); i++)
        json_array_append_new(all,
                              json_pack("{s:o, s:o}", "name", lc_json_text(once->program[i].name),
                                        "requests", number_json(once->program[i].requests)));
    return all;
}

/* What was charged without the scale, and what all would have cost with it. */
static json_t *once_json(const struct lc_storm *storm, const struct lc_server_stats *s)
{
    double more = (double)s->model.scale - 1;

    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o}", "programs", once_programs_json(&storm->once), "requests",
        number_json(s->once_requests), "busy_s", seconds_json((double)s->once_busy_ns),
        "data_busy_s", seconds_json((double)s->once_data_busy_ns), "busy_all_scaled_s",
        seconds_json((double)s->busy_ns + more * (double)s->once_busy_ns), "data_busy_all_scaled_s",
        seconds_json((double)s->data_busy_ns + more * (double)s->once_data_busy_ns));
}

static json_t *server_json(const struct lc_storm *storm)
{
    struct lc_server_stats s;

    lc_server_get_stats(&storm->server, &s);
    json_t *wait =
        json_pack("{s:o, s:o, s:o}", "mean", seconds_json(s.wait_mean_ns), "p99",
                  seconds_json((double)s.wait_p99_ns), "max", seconds_json((double)s.wait_max_ns));
    return json_pack(
        "{s:s?, s:o, s:f, s:f, s:f, s:o, s:o, s:o, s:o, s:o, s:b}", "file", storm->server.file,
        "servers", number_json(s.model.servers), "service_us", (double)s.model.service_ns / 1e3,
        "bandwidth_mb_s", (double)s.model.bandwidth_bytes_s / 1e6, "halved_at_readers",
        s.model.halved_at_readers, "requests", number_json(s.requests), "busy_s",
        seconds_json((double)s.busy_ns), "data_busy_s", seconds_json((double)s.data_busy_ns),
        "once", once_json(storm, &s), "wait_s", wait, "frozen", (int)s.is_frozen);
}

static json_t *model_json(const struct lc_options *o)
{
    const struct lc_profile *p = &o->profile;

    return json_pack("{s:s, s:I, s:f, s:f, s:f, s:f, s:f, s:b}", "profile", p->name, "scale",
                     (json_int_t)o->scale, "latency_us", p->latency_us, "cache_s", p->cache_s,
                     "attr_cache_s", p->attr_cache_s, "dir_cache_s", p->dir_cache_s,
                     "negative_cache_s", p->negative_cache_s, "rw", (int)o->rw);
}

json_t *lc_stats_json(const struct lc_storm *storm)
{
    struct lc_counters total = {0};
    json_t *each = mounts_json(storm, &total);

    return json_pack("{s:s, s:s, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "program", "stormfs",
                     "version", LC_VERSION, "pid", (int)getpid(), "source",
                     lc_json_text(storm->options->source), "model", model_json(storm->options),
                     "server", server_json(storm), "total", counters_json(&total), "mounts", each,
                     "inodes", number_json(lc_inodes_count(storm->inodes)), "cached_descriptors",
                     number_json(lc_inodes_cached_fds(storm->inodes)));
}
