/* SPDX-License-Identifier: MIT */
/* run_json.c - a run as JSON, written and read back */
#include "results/run_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/fields.h"
#include "results/text.h"
#include "util/clock.h"

static json_t *text_json(const char *bytes)
{
    char *text = lc_text_to_utf8(bytes ? bytes : "");
    json_t *value = text ? json_string(text) : NULL;

    free(text);
    return value;
}

static json_t *fields_json(const void *of, const struct lc_field *field, json_t *into)
{
    for (; field->name; field++)
        json_object_set_new(into, field->name, text_json(lc_field_of(of, field)));
    return into;
}

static json_t *samples_json(const struct lc_run_phase *phase)
{
    json_t *list = json_array();

    for (size_t i = 0; phase->sample_ns && i < phase->ranks; i++)
        json_array_append_new(list, json_integer(phase->sample_ns[i]));
    return list;
}

static json_t *phases_json(const struct lc_run *run)
{
    json_t *all = json_object();

    for (size_t i = 0; i < run->phases; i++) {
        const struct lc_run_phase *p = &run->phase[i];
        json_object_set_new(all, p->name,
                            json_pack("{s:I, s:I, s:I, s:I, s:I, s:o}", "ranks",
                                      (json_int_t)p->ranks, "min_ns", (json_int_t)p->min_ns,
                                      "median_ns", (json_int_t)p->median_ns, "p95_ns",
                                      (json_int_t)p->p95_ns, "max_ns", (json_int_t)p->max_ns,
                                      "samples_ns", samples_json(p)));
    }
    return all;
}

static json_t *metrics_json(const struct lc_run *run)
{
    json_t *all = json_object();

    for (size_t i = 0; i < run->metrics; i++)
        json_object_set_new(all, run->metric[i].name, json_real(run->metric[i].value));
    return all;
}

json_t *lc_run_to_json(const struct lc_run *run)
{
    char time[32];

    lc_clock_iso(time, sizeof(time), (uint64_t)run->started_ns);
    json_t *all =
        json_pack("{s:i, s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:I}", "format", LC_RUN_FORMAT, "uid",
                  run->uid, "status", lc_run_status_name(run->status), "started", time,
                  "started_ns", (json_int_t)run->started_ns, "ended_ns", (json_int_t)run->ended_ns,
                  "ranks", (json_int_t)run->key.ranks, "nodes", (json_int_t)run->key.nodes,
                  "repetition", (json_int_t)run->key.repetition);
    if (!all)
        return NULL;
    fields_json(&run->key, lc_key_fields, all);
    json_object_set_new(all, "total_s",
                        isnan(run->total_s) ? json_null() : json_real(run->total_s));
    json_object_set_new(all, "reason", text_json(run->reason));
    json_object_set_new(all, "errors", text_json(run->errors));
    json_object_set_new(all, "place", fields_json(&run->place, lc_place_fields, json_object()));
    json_object_set_new(all, "phases", phases_json(run));
    json_object_set_new(all, "metrics", metrics_json(run));
    return all;
}

/* A member that must be there and be a string. */
static const char *text_at(json_t *of, const char *name, struct lc_error *err)
{
    const char *text = json_string_value(json_object_get(of, name));

    if (!text)
        lc_error_set(err, "a run without '%s', or it is no text", name);
    return text;
}

static int texts_at(json_t *of, const struct lc_field *field, void *into, struct lc_error *err)
{
    for (; field->name; field++)
        if (!(*lc_field_at(into, field) = text_at(of, field->name, err)))
            return -1;
    return 0;
}

static int integer_at(json_t *of, const char *name, json_int_t min, json_int_t *out,
                      struct lc_error *err)
{
    json_t *value = json_object_get(of, name);

    *out = json_integer_value(value);
    return json_is_integer(value) && *out >= min
               ? 0
               : lc_error_set(err, "a run without '%s', or it is no number of at least %lld", name,
                              (long long)min);
}

static int long_at(json_t *of, const char *name, long min, long *out, struct lc_error *err)
{
    json_int_t value;
    int rc = integer_at(of, name, min, &value, err);

    *out = (long)value;
    return rc;
}

static int ns_at(json_t *of, const char *name, int64_t *out, struct lc_error *err)
{
    json_int_t value;
    int rc = integer_at(of, name, INT64_MIN, &value, err);

    *out = value;
    return rc;
}

static int samples_read(json_t *list, struct lc_run_phase *phase, struct lc_error *err)
{
    size_t n = json_array_size(list);
    int64_t *sample = n ? calloc(n, sizeof(*sample)) : NULL;

    phase->sample_ns = sample;
    if (!json_is_array(list) || (n && n != phase->ranks) || (n && !sample))
        return lc_error_set(err, "phase '%s' has %zu samples for %zu ranks", phase->name, n,
                            phase->ranks);
    for (size_t i = 0; i < n; i++) {
        if (!json_is_integer(json_array_get(list, i)))
            return lc_error_set(err, "phase '%s' has a sample that is no number", phase->name);
        sample[i] = json_integer_value(json_array_get(list, i));
    }
    return 0;
}

static int phase_read(json_t *from, struct lc_run_phase *phase, struct lc_error *err)
{
    long ranks;

    if (long_at(from, "ranks", 0, &ranks, err) < 0 ||
        ns_at(from, "min_ns", &phase->min_ns, err) < 0 ||
        ns_at(from, "median_ns", &phase->median_ns, err) < 0 ||
        ns_at(from, "p95_ns", &phase->p95_ns, err) < 0 ||
        ns_at(from, "max_ns", &phase->max_ns, err) < 0)
        return -1;
    phase->ranks = (size_t)ranks;
    return samples_read(json_object_get(from, "samples_ns"), phase, err);
}

static int phases_read(json_t *from, struct lc_run *run, struct lc_error *err)
{
    const char *name;
    json_t *value;

    if (!json_is_object(from))
        return lc_error_set(err, "a run without 'phases'");
    run->phase = calloc(json_object_size(from) + 1, sizeof(*run->phase));
    json_object_foreach(from, name, value)
    {
        if (!run->phase)
            break;
        struct lc_run_phase *phase = &run->phase[run->phases++];
        phase->name = name;
        if (phase_read(value, phase, err) < 0)
            return -1;
    }
    return run->phase ? 0 : lc_error_set(err, "out of memory");
}

static int metrics_read(json_t *from, struct lc_run *run, struct lc_error *err)
{
    const char *name;
    json_t *value;

    if (!json_is_object(from))
        return lc_error_set(err, "a run without 'metrics'");
    run->metric = calloc(json_object_size(from) + 1, sizeof(*run->metric));
    json_object_foreach(from, name, value)
    {
        if (!run->metric || !json_is_number(value))
            return lc_error_set(err, "metric '%s' is no number", name);
        run->metric[run->metrics++] = (struct lc_run_metric){name, json_number_value(value)};
    }
    return run->metric ? 0 : lc_error_set(err, "out of memory");
}

static int identity_read(json_t *value, struct lc_run *run, struct lc_error *err)
{
    const char *uid, *status;
    json_int_t format;

    if (integer_at(value, "format", 1, &format, err) < 0 || !(uid = text_at(value, "uid", err)) ||
        !(status = text_at(value, "status", err)))
        return -1;
    if (format > LC_RUN_FORMAT)
        return lc_error_set(err, "a run of format %d, from a newer Loadcast", (int)format);
    if (strlen(uid) != 32 || strspn(uid, "0123456789abcdef") != 32)
        return lc_error_set(err, "a run whose 'uid' is not 32 hexadecimal digits");
    strcpy(run->uid, uid);
    int known = lc_run_status_parse(status);
    if (known < 0)
        return lc_error_set(err, "a run with the unknown status '%s'", status);
    run->status = (enum lc_run_status)known;
    return 0;
}

static int run_read(json_t *value, struct lc_run *run, struct lc_error *err)
{
    json_t *total = json_object_get(value, "total_s");

    if (identity_read(value, run, err) < 0 ||
        long_at(value, "ranks", 1, &run->key.ranks, err) < 0 ||
        long_at(value, "nodes", 1, &run->key.nodes, err) < 0 ||
        long_at(value, "repetition", 0, &run->key.repetition, err) < 0 ||
        ns_at(value, "started_ns", &run->started_ns, err) < 0 ||
        ns_at(value, "ended_ns", &run->ended_ns, err) < 0 ||
        texts_at(value, lc_key_fields, &run->key, err) < 0 ||
        !(run->reason = text_at(value, "reason", err)) ||
        !(run->errors = text_at(value, "errors", err)) ||
        texts_at(json_object_get(value, "place"), lc_place_fields, &run->place, err) < 0)
        return -1;
    run->total_s = json_is_number(total) ? json_number_value(total) : NAN;
    return phases_read(json_object_get(value, "phases"), run, err) < 0
               ? -1
               : metrics_read(json_object_get(value, "metrics"), run, err);
}

int lc_run_from_json(json_t *value, struct lc_run *run, struct lc_error *err)
{
    *run = (struct lc_run){0};
    if (!json_is_object(value))
        return lc_error_set(err, "not a run: no JSON object");
    if (run_read(value, run, err) == 0)
        return 0;
    lc_run_release(run);
    return -1;
}

void lc_run_release(struct lc_run *run)
{
    for (size_t i = 0; i < run->phases; i++)
        free((int64_t *)run->phase[i].sample_ns);
    free(run->phase);
    free(run->metric);
    run->phase = NULL;
    run->metric = NULL;
    run->phases = run->metrics = 0;
}
