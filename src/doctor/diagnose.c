/* SPDX-License-Identifier: MIT */
/* diagnose.c - run the command in the planned ways until it is known which part differs */
#include <stdio.h>
#include <string.h>

#include "doctor/doctor_private.h"
#include "launch/run.h"
#include "record/check.h"
#include "util/human.h"

enum { CHECK_THREADS = 32 };

static struct lc_trial *trial_get(struct lc_doctor *d, const char *key)
{
    for (size_t i = 0; i < d->trials; i++)
        if (strcmp(d->trial[i].key, key) == 0)
            return &d->trial[i];
    return NULL;
}

/* Make a run and compare it with the plain one of its kind, if that was made before. */
static int trial_make(struct lc_doctor *d, struct lc_trial *t, struct lc_error *err)
{
    const struct lc_trial *plain = trial_get(d, t->is_traced ? "plain-traced-1" : "plain-1");

    if (d->begin)
        d->begin(d->arg, t);
    if (lc_trial_run(d, t, err) < 0)
        return -1;
    if (t->kind != LC_TRIAL_RECORD && plain && plain->has_run && plain != t &&
        !(t->is_traced && d->no_compare.text[0]) && strcmp(t->key, "plain-2") != 0)
        lc_trial_judge(d, plain, t);
    if (d->done)
        d->done(d->arg, t);
    return 0;
}

/* Record the image if there is none, and bring it up to date, without changing the user's. */
static int image_prepare(struct lc_doctor *d, struct lc_error *err)
{
    char overlay[PATH_MAX];
    const struct lc_check how = {.jobs = CHECK_THREADS, .is_brief = true, .overlay = overlay};
    struct lc_checked did = {0};

    if (d->records && trial_make(d, trial_get(d, "record"), err) < 0)
        return -1;
    if (d->no_image.text[0])
        return 0;
    snprintf(overlay, sizeof(overlay), "%.4000s/checked.lcast", d->own_dir);
    if (lc_check_image(d->found, &how, &did, err) < 0)
        return -1;
    snprintf(d->use, sizeof(d->use), "%s", did.wrote[0] ? did.wrote : d->found);
    lc_checked_free(&did);
    return 0;
}

static int plain_run(struct lc_doctor *d, struct lc_error *err)
{
    struct lc_trial *a = trial_get(d, "plain-1"), *b = trial_get(d, "plain-2");

    if (trial_make(d, a, err) < 0)
        return -1;
    if (a->end.timed_out)
        return lc_error_set(err,
                            "'%s' does not end within %s as it is; give it less to do, or more "
                            "time: --timeout",
                            d->argv[0], lc_human_seconds(d->limit_s).s);
    return trial_make(d, b, err) < 0 ? -1 : lc_doctor_learn(d, a, b, err);
}

/* Did the run use the image in any process? */
static bool counters_are_empty(const json_t *counters)
{
    const json_t *counts = json_object_get(json_array_get(counters, 0), "counts");

    return json_integer_value(json_object_get(counts, "processes")) == 0;
}

/* Compare the libraries of traced runs. Where plain runs load different ones, nothing is said. */
static int libraries_compare(struct lc_doctor *d, struct lc_error *err)
{
    struct lc_trial *plain = trial_get(d, "plain-traced-1");
    struct lc_trial *client = trial_get(d, "everything-traced-1");

    if (!plain)
        return 0;
    if (trial_make(d, plain, err) < 0 || (!d->no_compare.text[0] && trial_make(d, client, err) < 0))
        return -1;
    if (d->no_compare.text[0] || !client->differs)
        return 0;
    struct lc_trial *again = trial_get(d, "plain-traced-2");
    if (trial_make(d, again, err) < 0)
        return -1;
    if (again->differs) {
        lc_error_set(&d->no_compare, "plain runs load different libraries: %s",
                     lc_buf_text(&again->difference));
        client->differs = again->differs = false;
    }
    d->by_libraries = client->differs;
    return 0;
}

/* Leave out one part after the other until nothing differs. */
static int parts_leave_out(struct lc_doctor *d, struct lc_error *err)
{
    for (size_t i = 0; i < d->trials; i++) {
        struct lc_trial *t = &d->trial[i];
        if (t->kind != LC_TRIAL_WITHOUT && t->kind != LC_TRIAL_NO_PART)
            continue;
        t->is_traced = d->by_libraries;
        if (trial_make(d, t, err) < 0)
            return -1;
        if (d->by_libraries && d->no_compare.text[0])
            return lc_error_set(err, "%s", d->no_compare.text);
        if (t->differs)
            continue;
        d->verdict = t->kind == LC_TRIAL_WITHOUT ? LC_VERDICT_PART : LC_VERDICT_SEVERAL;
        d->part = t->without;
        return 0;
    }
    d->verdict = LC_VERDICT_LAUNCH;
    return 0;
}

/* The run by which the part was found, as one more. NULL: there was none. */
static struct lc_trial *cure_repeat(struct lc_doctor *d)
{
    struct lc_trial *again = trial_get(d, "cure-2");

    again->kind = d->verdict == LC_VERDICT_PART ? LC_TRIAL_WITHOUT : LC_TRIAL_NO_PART;
    again->without = d->part;
    return d->verdict == LC_VERDICT_LAUNCH ? NULL : again;
}

/* Is all of it so again? A program that differs now and then would blame whatever part was left out
 * next. */
static int verdict_confirm(struct lc_doctor *d, struct lc_error *err)
{
    struct lc_trial *client = trial_get(d, "everything-2"), *cured = cure_repeat(d),
                    *plain = trial_get(d, "plain-4");

    client->is_traced = plain->is_traced = d->by_libraries;
    if (cured)
        cured->is_traced = d->by_libraries;
    if (trial_make(d, client, err) < 0 || (cured && trial_make(d, cured, err) < 0) ||
        trial_make(d, plain, err) < 0)
        return -1;
    if (plain->differs)
        d->verdict = LC_VERDICT_ITSELF;
    else if (!client->differs || (cured && cured->differs))
        d->verdict = LC_VERDICT_UNSTEADY;
    return 0;
}

/* A third plain run, before anything is blamed: if it differs from the first two, less is compared,
 * and perhaps nothing differs any more. */
static int plain_run_again(struct lc_doctor *d, struct lc_trial *client, struct lc_error *err)
{
    struct lc_trial *plain = trial_get(d, "plain-3");

    if (plain->has_run)
        return 0;
    if (trial_make(d, plain, err) < 0)
        return -1;
    if (!plain->differs)
        return 0;
    if (lc_doctor_relearn(d, trial_get(d, "plain-1"), plain, err) < 0)
        return -1;
    lc_trial_judge(d, trial_get(d, "plain-1"), plain);
    lc_trial_judge(d, trial_get(d, "plain-1"), client);
    return 0;
}

/* With an image. */
static int serving_compare(struct lc_doctor *d, struct lc_error *err)
{
    struct lc_trial *client = trial_get(d, "everything-1");

    if (trial_make(d, client, err) < 0)
        return -1;
    d->is_unused = counters_are_empty(client->counters);
    if (client->differs && plain_run_again(d, client, err) < 0)
        return -1;
    if (!client->differs && libraries_compare(d, err) < 0)
        return -1;
    if (!client->differs && !d->by_libraries)
        return 0;
    return parts_leave_out(d, err) < 0 ? -1 : verdict_confirm(d, err);
}

/* As a line without an image, whose first run is watched for one. */
static int watching_compare(struct lc_doctor *d, struct lc_error *err)
{
    struct lc_trial *watched = trial_get(d, "watched-1"), *again = trial_get(d, "watched-2"),
                    *plain = trial_get(d, "plain-4");

    if (trial_make(d, watched, err) < 0 ||
        (watched->differs && plain_run_again(d, watched, err) < 0))
        return -1;
    if (!watched->differs)
        return 0;
    if (trial_make(d, again, err) < 0 || trial_make(d, plain, err) < 0)
        return -1;
    d->part = LC_CLIENT_PART_WATCHING;
    d->verdict = plain->differs   ? LC_VERDICT_ITSELF
                 : again->differs ? LC_VERDICT_PART
                                  : LC_VERDICT_UNSTEADY;
    return 0;
}

int lc_doctor_run(struct lc_doctor *d, struct lc_error *err)
{
    lc_timed_run_begin();
    lc_nested_leave_outer();
    if (lc_doctor_make_places(d, err) < 0 || image_prepare(d, err) < 0 || plain_run(d, err) < 0)
        return -1;
    if (!d->no_image.text[0] && serving_compare(d, err) < 0)
        return -1;
    if (d->verdict == LC_VERDICT_SAME && watching_compare(d, err) < 0)
        return -1;
    if (d->no_image.text[0] && d->verdict == LC_VERDICT_SAME)
        return lc_error_set(err, "%s", d->no_image.text);
    return 0;
}

void lc_doctor_end(struct lc_doctor *d)
{
    lc_doctor_remove_places(d);
    for (size_t i = 0; i < d->trials; i++) {
        lc_libraries_free(&d->trial[i].libraries);
        lc_buf_free(&d->trial[i].difference);
        json_decref(d->trial[i].counters);
    }
    lc_output_rule_free(&d->output);
    lc_output_rule_free(&d->errors);
}

const struct lc_trial *lc_doctor_differing(const struct lc_doctor *d)
{
    for (size_t i = 0; i < d->trials; i++)
        if ((d->trial[i].kind == LC_TRIAL_EVERYTHING || d->trial[i].kind == LC_TRIAL_WATCHED) &&
            d->trial[i].differs)
            return &d->trial[i];
    return NULL;
}

const struct lc_trial *lc_doctor_plain(const struct lc_doctor *d)
{
    for (size_t i = 0; i < d->trials; i++)
        if (d->trial[i].kind == LC_TRIAL_PLAIN)
            return &d->trial[i];
    return NULL;
}

bool lc_verdict_is_different(enum lc_doctor_verdict verdict)
{
    return verdict != LC_VERDICT_SAME && verdict != LC_VERDICT_ITSELF;
}

const char *lc_verdict_key(enum lc_doctor_verdict verdict)
{
    static const char *const key[] = {
        [LC_VERDICT_SAME] = "same",         [LC_VERDICT_PART] = "part",
        [LC_VERDICT_SEVERAL] = "several",   [LC_VERDICT_LAUNCH] = "launch",
        [LC_VERDICT_UNSTEADY] = "unsteady", [LC_VERDICT_ITSELF] = "itself",
    };

    return key[verdict];
}
