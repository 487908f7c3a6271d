/* SPDX-License-Identifier: MIT */
/* plan.c - which image is used, and which runs there will be */
#include "doctor/doctor_private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launch/job_run.h"
#include "launch/launch_line.h"
#include "launch/line_key.h"
#include "store/entry.h"
#include "util/own_path.h"
#include "util/path.h"

/* The line's image in the store. False: there is none. */
static bool stored_find(struct lc_doctor *d)
{
    struct lc_store_key key = {.parts = NULL};
    struct lc_store_dir dir = LC_STORE_DIR_NONE;
    bool is_there = lc_store_dir_open(&dir, false, NULL) == 0 &&
                    lc_line_key(d->argv, &key, NULL) == 0 &&
                    lc_store_entry_has_image(&dir, key.text) &&
                    lc_store_entry_path(&dir, key.text, d->found, NULL) == 0;

    lc_store_key_free(&key);
    lc_store_dir_close(&dir);
    return is_there;
}

/* Commands that get the image's name change nothing about it, so it must not look like an option.
 */
static int given_take(struct lc_doctor *d, const char *given, struct lc_error *err)
{
    char here[PATH_MAX];

    if (!getcwd(here, sizeof(here)) || lc_path_absolute(d->found, PATH_MAX, here, given) < 0)
        return lc_error_errno(err, "cannot use the image '%s'", given);
    if (access(d->found, R_OK) < 0)
        return lc_error_errno(err, "cannot read the image '%s'", given);
    return 0;
}

static int image_find(struct lc_doctor *d, struct lc_error *err)
{
    const char *variable = getenv("LOADCAST_IMAGE");
    const char *given = d->image ? d->image : variable && *variable ? variable : NULL;

    if (given)
        return given_take(d, given, err);
    d->records = !stored_find(d);
    return 0;
}

struct lc_trial *lc_doctor_add(struct lc_doctor *d, enum lc_trial_kind kind, const char *key,
                               const char *name)
{
    struct lc_trial *t = &d->trial[d->trials++];

    *t = (struct lc_trial){.kind = kind};
    snprintf(t->name, sizeof(t->name), "%s", name);
    snprintf(t->key, sizeof(t->key), "%s", key);
    return t;
}

static void traced_add(struct lc_doctor *d, enum lc_trial_kind kind, const char *key,
                       const char *name)
{
    if (d->no_libraries)
        return;
    struct lc_trial *t = lc_doctor_add(d, kind, key, name);
    t->is_traced = true;
    t->is_conditional = strstr(key, "-2");
}

static struct lc_trial *conditional_add(struct lc_doctor *d, enum lc_trial_kind kind,
                                        const char *key, const char *name)
{
    struct lc_trial *t = lc_doctor_add(d, kind, key, name);

    t->is_conditional = true;
    return t;
}

static void part_add(struct lc_doctor *d, enum lc_client_part part)
{
    char key[32], name[64];

    snprintf(key, sizeof(key), "without-%s", lc_client_parts[part].key);
    snprintf(name, sizeof(name), "without %s", lc_client_parts[part].name);
    conditional_add(d, LC_TRIAL_WITHOUT, key, name)->without = part;
}

/* The runs in their order. Those that are conditional come last. */
static void trials_list(struct lc_doctor *d)
{
    if (d->records)
        lc_doctor_add(d, LC_TRIAL_RECORD, "record", "recorded");
    lc_doctor_add(d, LC_TRIAL_PLAIN, "plain-1", "plain");
    lc_doctor_add(d, LC_TRIAL_PLAIN, "plain-2", "plain, again");
    lc_doctor_add(d, LC_TRIAL_EVERYTHING, "everything-1", "with everything");
    traced_add(d, LC_TRIAL_PLAIN, "plain-traced-1", "plain, traced");
    traced_add(d, LC_TRIAL_EVERYTHING, "everything-traced-1", "with everything, traced");
    traced_add(d, LC_TRIAL_PLAIN, "plain-traced-2", "plain, traced again");
    lc_doctor_add(d, LC_TRIAL_WATCHED, "watched-1", "without an image, watched for one");
    conditional_add(d, LC_TRIAL_PLAIN, "plain-3", "plain, a third time");
    for (int part = 0; part < LC_SERVING_PARTS; part++)
        part_add(d, (enum lc_client_part)part);
    conditional_add(d, LC_TRIAL_NO_PART, "no-part", "staged, without any part");
    conditional_add(d, LC_TRIAL_EVERYTHING, "everything-2", "with everything, again");
    conditional_add(d, LC_TRIAL_WATCHED, "watched-2", "watched, again");
    conditional_add(d, LC_TRIAL_CURE, "cure-2", "without that part, again");
    conditional_add(d, LC_TRIAL_PLAIN, "plain-4", "plain, a fourth time");
}

/* Is it a launch line, and does that stay here? On other nodes there is no directory of ours. */
static int line_judge(struct lc_doctor *d, struct lc_error *err)
{
    struct lc_launch_line line;
    bool is_here = true;

    lc_launch_line_parse(&line, d->argv, NULL);
    d->is_launch_line = line.launcher != LC_LAUNCHER_NONE;
    if (d->is_launch_line)
        lc_line_count_nodes(&line, &is_here);
    return is_here ? 0
                   : lc_error_set(err, "this launch line may use other nodes, and doctor compares "
                                       "on this machine alone; try it with: mpiexec -n 2 ...");
}

int lc_doctor_plan(struct lc_doctor *d, struct lc_error *err)
{
    if (line_judge(d, err) < 0 || lc_own_front(d->front, err) < 0 || image_find(d, err) < 0)
        return -1;
    trials_list(d);
    return 0;
}
