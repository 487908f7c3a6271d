/* SPDX-License-Identifier: MIT */
/* trace_json.c - the results of a trace as JSON */
#include <sys/wait.h>

#include "cmd/trace_view.h"
#include "predict/predict.h"
#include "trace/programs.h"
#include "util/json.h"

static json_t *count_json(const struct lc_count *c)
{
    return json_pack("{s:I, s:I}", "ok", (json_int_t)c->ok, "failed", (json_int_t)c->failed);
}

static json_t *kinds_json(const struct lc_count *kind)
{
    json_t *all = json_object();

    for (int k = 0; k < LC_TRACE_KINDS; k++)
        if (kind[k].ok + kind[k].failed)
            json_object_set_new(all, lc_trace_kind_name((enum lc_trace_kind)k),
                                count_json(&kind[k]));
    return all;
}

static json_t *outcome_json(const struct lc_trace_outcome *o)
{
    json_t *exit_status =
        WIFEXITED(o->status) && !o->is_running ? json_integer(WEXITSTATUS(o->status)) : json_null();
    json_t *signal =
        WIFSIGNALED(o->status) && !o->is_running ? json_integer(WTERMSIG(o->status)) : json_null();

    return json_pack("{s:o, s:o, s:f, s:i, s:i, s:b, s:b, s:b, s:b, s:b}", "exit_status",
                     exit_status, "signal", signal, "wall_s", o->wall_s, "processes",
                     (int)o->processes, "threads", (int)o->threads, "partial", o->is_partial,
                     "running", o->is_running, "foreign_programs", o->has_foreign, "io_uring",
                     o->has_io_uring, "filter", o->has_filter);
}

static json_t *totals_json(const struct lc_summary *sum, const struct lc_totals *t)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:I}", "metadata",
                     count_json(&t->metadata), "on_descriptor", count_json(&t->on_descriptor),
                     "data", count_json(&t->data), "kinds", kinds_json(t->kind), "bytes_read",
                     (json_int_t)t->bytes_read, "bytes_mapped", (json_int_t)t->bytes_mapped,
                     "files", (json_int_t)sum->files.count, "bytes_of_files",
                     (json_int_t)t->bytes_of_files);
}

static json_t *mounts_json(const struct lc_summary *sum)
{
    json_t *all = json_array();

    for (size_t i = 0; i < sum->mount_count; i++) {
        const struct lc_mount_sum *m = &sum->mount[i];
        json_array_append_new(
            all, json_pack("{s:o, s:o, s:o, s:b, s:o, s:I, s:I}", "point",
                           lc_json_text(m->mount->point), "type", lc_json_text(m->mount->type),
                           "source", lc_json_text(m->mount->source), "no_disk", m->mount->is_kernel,
                           "kinds", kinds_json(m->kind), "bytes_read", (json_int_t)m->bytes_read,
                           "bytes_mapped", (json_int_t)m->bytes_mapped));
    }
    return all;
}

static json_t *dirs_json(const struct lc_summary *sum)
{
    size_t index[LC_TRACE_WORST_DIRS];
    size_t n = lc_summary_worst_dirs(sum, index, LC_TRACE_WORST_DIRS);
    json_t *all = json_array();
    char why[8192];

    for (size_t i = 0; i < n; i++) {
        const struct lc_map_entry *e = &sum->dirs.entry[index[i]];
        const struct lc_dir_sum *dir = e->value;
        lc_traced_program_why(sum, e->key, dir, why, sizeof(why));
        json_array_append_new(all, json_pack("{s:o, s:I, s:o, s:o}", "path", lc_json_text(e->key),
                                             "failed", (json_int_t)dir->failed, "example",
                                             lc_json_text(dir->example ? dir->example : ""),
                                             "cause", lc_json_text(why)));
    }
    return all;
}

static json_t *ranks_json(const struct lc_trace_view *v)
{
    struct lc_job job;
    json_t *all = json_array();

    lc_job_from_summary(&job, v->argv[0], &v->summary, v->outcome.wall_s);
    for (size_t i = 0; i < v->rank_count; i++) {
        struct lc_estimate e =
            lc_model_estimate(&v->machine, &job, LC_REMEDY_NONE, (double)v->ranks[i]);
        json_array_append_new(
            all,
            json_pack("{s:I, s:I, s:f, s:b, s:b}", "ranks", (json_int_t)v->ranks[i], "operations",
                      (json_int_t)(e.requests + 0.5), "seconds", e.worst_s, "beyond_machine",
                      lc_predict_is_beyond_machine(&v->machine, (double)v->ranks[i]), "beyond_fit",
                      lc_predict_is_beyond_fit(&v->machine, (double)v->ranks[i])));
    }
    return all;
}

int lc_trace_write_json(const struct lc_trace_view *v, char *const command[], const char *file,
                        struct lc_error *err)
{
    struct lc_totals t = lc_summary_totals(&v->summary);
    json_t *all = json_pack(
        "{s:s, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:f, s:o}", "format", "loadcast-trace",
        "format_version", 1, "provenance", lc_json_provenance("loadcast trace", command), "under",
        v->under ? lc_json_text(v->under) : json_null(), "outcome", outcome_json(&v->outcome),
        "totals", totals_json(&v->summary, &t), "mounts", mounts_json(&v->summary),
        "missing_directories", dirs_json(&v->summary), "machine", lc_json_text(v->machine.name),
        "server_rate", v->machine.meta_servers * v->machine.lookups_per_s, "extrapolation",
        ranks_json(v));

    if (!all)
        return lc_error_set(err, "cannot write JSON to '%s': out of memory", file);
    int rc = lc_json_write(all, file, err);
    json_decref(all);
    return rc;
}
