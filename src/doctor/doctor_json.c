/* SPDX-License-Identifier: MIT */
/* doctor_json.c - results as JSON */
#include "doctor/doctor_json.h"

#include <sys/wait.h>

#include "util/json.h"

static json_t *ending_json(const struct lc_trial *t)
{
    int status = t->end.status;

    if (t->end.timed_out)
        return json_pack("{s:b, s:f}", "timed_out", true, "seconds", t->end.seconds);
    if (WIFSIGNALED(status))
        return json_pack("{s:i, s:f}", "signal", WTERMSIG(status), "seconds", t->end.seconds);
    return json_pack("{s:i, s:f}", "status", WEXITSTATUS(status), "seconds", t->end.seconds);
}

static json_t *trial_json(const struct lc_trial *t)
{
    json_t *one = ending_json(t);

    json_object_set_new(one, "run", json_string(t->key));
    json_object_set_new(one, "what", json_string(t->name));
    json_object_set_new(one, "traced", json_boolean(t->is_traced));
    json_object_set_new(one, "differs", json_boolean(t->differs));
    if (t->differs)
        json_object_set_new(one, "difference", lc_json_text(lc_buf_text(&t->difference)));
    if (t->counters)
        json_object_set(one, "counters", t->counters);
    return one;
}

static json_t *trials_json(const struct lc_doctor *d)
{
    json_t *all = json_array();

    for (size_t i = 0; i < d->trials; i++)
        if (d->trial[i].has_run)
            json_array_append_new(all, trial_json(&d->trial[i]));
    return all;
}

json_t *lc_doctor_json(const struct lc_doctor *d, char *const *command)
{
    const struct lc_trial *differing = lc_doctor_differing(d);
    json_t *all = lc_json_provenance("loadcast doctor", command);

    json_object_set_new(all, "image", lc_json_text(d->found));
    json_object_set_new(all, "recorded_for_this", json_boolean(d->records));
    json_object_set_new(all, "verdict", json_string(lc_verdict_key(d->verdict)));
    if (d->verdict == LC_VERDICT_PART) {
        json_object_set_new(all, "part", json_string(lc_client_parts[d->part].key));
        json_object_set_new(all, "off", json_string(lc_client_parts[d->part].off));
    }
    if (d->verdict != LC_VERDICT_SAME && differing)
        json_object_set_new(all, "difference", lc_json_text(lc_buf_text(&differing->difference)));
    json_object_set_new(all, "compared_output", json_string(lc_output_rule_text(&d->output)));
    json_object_set_new(all, "compared_errors", json_string(lc_output_rule_text(&d->errors)));
    json_object_set_new(all, "compared_libraries",
                        json_boolean(!d->no_libraries && !d->no_compare.text[0]));
    json_object_set_new(all, "image_was_used", json_boolean(!d->is_unused));
    json_object_set_new(all, "runs", trials_json(d));
    return all;
}

json_t *lc_machine_json(const struct lc_machine_findings *machine, char *const *command)
{
    json_t *all = lc_json_provenance("loadcast doctor", command), *list = json_array();

    for (size_t i = 0; i < machine->count; i++) {
        const struct lc_finding *f = &machine->finding[i];
        json_t *one = json_pack("{s:s, s:s, s:o}", "check", f->name, "result",
                                lc_finding_level_name(f->level), "text", lc_json_text(f->text));
        if (f->next[0])
            json_object_set_new(one, "next", lc_json_text(f->next));
        json_array_append_new(list, one);
    }
    json_object_set_new(all, "problems", json_integer((json_int_t)machine->problems));
    json_object_set_new(all, "checks", list);
    return all;
}
