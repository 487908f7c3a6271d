/* SPDX-License-Identifier: MIT */
/* predict_json.c - a prediction as JSON */
#include <math.h>

#include "predict/predict.h"
#include "util/json.h"

static json_t *seconds_json(double s)
{
    return isnan(s) ? json_null() : json_real(s);
}

static json_t *estimate_json(const struct lc_estimate *e)
{
    return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "worst_s", e->worst_s,
                     "median_s", e->median_s, "launch_s", e->launch_s, "check_s", e->check_s,
                     "stage_s", e->stage_s, "start_s", e->start_s, "requests", e->requests,
                     "requests_per_s", e->requests_per_s, "bystander_s", e->bystander_s);
}

static json_t *widths_json(const struct lc_prediction *p)
{
    json_t *all = json_array();

    for (size_t i = 0; i < p->widths; i++) {
        const struct lc_predicted_width *w = &p->width[i];
        json_t *of = json_object();
        for (int r = 0; r < LC_REMEDIES; r++)
            json_object_set_new(of, lc_remedy_name((enum lc_remedy)r), estimate_json(&w->of[r]));
        json_array_append_new(
            all, json_pack("{s:I, s:I, s:b, s:b, s:f, s:o, s:o}", "ranks", (json_int_t)w->ranks,
                           "nodes", (json_int_t)w->nodes, "beyond_machine", w->is_beyond_machine,
                           "beyond_fit", w->is_beyond_fit, "chain_s", w->chain_s,
                           "chain_simulated_s", seconds_json(w->simulated_s), "with", of));
    }
    return all;
}

static json_t *job_json(const struct lc_job *j)
{
    return json_pack("{s:o, s:o, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "name",
                     lc_json_text(j->name), "note", lc_json_text(j->note), "lookups", j->lookups,
                     "misses", j->misses, "opens", j->opens, "files", j->files, "bytes", j->bytes,
                     "cpu_s", j->cpu_s, "image_bytes", j->image_bytes, "image_entries",
                     j->image_entries);
}

static json_t *machine_json(const struct lc_machine_model *m)
{
    return json_pack("{s:o, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:o, s:o, s:o, s:o}", "name",
                     lc_json_text(m->name), "nodes", m->nodes, "ranks_per_node", m->ranks_per_node,
                     "lookups_per_s", m->lookups_per_s, "misses_per_s", m->misses_per_s,
                     "opens_per_s", m->opens_per_s, "metadata_servers", m->meta_servers,
                     "total_mb_s", m->total_mb_s, "link_mb_s", m->link_mb_s, "source",
                     lc_json_text(m->about.source), "fitted", lc_json_text(m->about.fitted),
                     "assumed", lc_json_text(m->about.assumed), "error",
                     lc_json_text(m->about.error));
}

/* Least ranks at which something happens; null if it never does. */
static json_t *ranks_json(long ranks)
{
    return ranks ? json_integer(ranks) : json_null();
}

static json_t *thresholds_json(const struct lc_prediction *p)
{
    json_t *pays = json_object();

    for (int r = LC_REMEDY_NONE + 1; r < LC_REMEDIES; r++)
        json_object_set_new(pays, lc_remedy_name((enum lc_remedy)r), ranks_json(p->pays_ranks[r]));
    return json_pack("{s:o, s:o, s:o}", "plain_over_180_s", ranks_json(p->timeout_ranks),
                     "bystander_over_1_s", ranks_json(p->bystander_ranks), "pays", pays);
}

int lc_predict_json(const struct lc_prediction *p, char *const command[], const char *file,
                    struct lc_error *err)
{
    char headline[400];
    json_t *all;

    lc_predict_headline(p, headline, sizeof(headline));
    all = json_pack("{s:s, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "format", "loadcast-predict",
                    "format_version", 1, "provenance",
                    lc_json_provenance("loadcast predict", command), "headline",
                    lc_json_text(headline), "job", job_json(p->job), "machine",
                    machine_json(p->machine), "widths", widths_json(p), "from_ranks",
                    thresholds_json(p), "simulation", lc_json_text(p->simulation));
    if (!all)
        return lc_error_set(err, "cannot write JSON to '%s': out of memory", file);
    int rc = lc_json_write(all, file, err);
    json_decref(all);
    return rc;
}
