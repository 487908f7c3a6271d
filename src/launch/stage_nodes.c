/* SPDX-License-Identifier: MIT */
/* stage_nodes.c - put an image into the memory of every node of a job: which way, and in what order
 */
#include "launch/stage_nodes.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/compose.h"
#include "launch/launcher_options.h"
#include "launch/mpi_step.h"
#include "launch/node_reports.h"
#include "launch/node_step.h"
#include "launch/run.h"
#include "stage/nodedir.h"
#include "stage/place.h"
#include "util/clock.h"
#include "util/path.h"
#include "util/site_conf.h"

const char *const lc_via_names[] = {"auto", "mpi", "sbcast", "fs", "ranks", NULL};

void lc_staging_node_path(char out[LC_STAGING_PATH], const struct lc_job_staging *staging)
{
    char name[LC_NODEDIR_NAME];

    lc_nodedir_name(name, staging->id, staging->only_libs);
    snprintf(out, LC_STAGING_PATH, "%s/loadcast-%lu/%s", staging->dir, (unsigned long)geteuid(),
             name);
}

int lc_staging_name_dir(const char *given, char out[PATH_MAX], struct lc_error *err)
{
    const char *variable = getenv("LOADCAST_DIR");
    const char *site = lc_site_conf()->dir;
    const char *dir = given ? given : variable && *variable ? variable : site ? site : "/dev/shm";
    char here[PATH_MAX] = "/";

    if ((dir[0] != '/' && !getcwd(here, sizeof(here))) ||
        lc_path_resolve(out, PATH_MAX, here, dir) < 0)
        return lc_error_errno(err, "cannot use '%s'", dir);
    if (strlen(out) < LC_STAGE_PLACE_LEN)
        return 0;
    errno = ENAMETOOLONG;
    return lc_error_set(err, "the path is too long for node memory: '%s'", dir);
}

/* A single node reads the image itself: starting MPI would only take time. */
static bool is_one_node(const struct lc_argv *start, enum lc_launcher launcher)
{
    if (launcher == LC_LAUNCHER_SRUN)
        return lc_compose_slurm_nodes() == 1;
    for (size_t i = 1; launcher == LC_LAUNCHER_OPENMPI && i + 1 < start->count; i++)
        if (lc_option_list_has("-H -host --host", start->item[i], (int)strlen(start->item[i])))
            return !strchr(start->item[i + 1], ',');
    return false;
}

/* The ways that are worth trying, best first. */
static int ways_list(const struct lc_job_staging *staging, const struct lc_argv *start,
                     enum lc_launcher launcher, enum lc_via way[3])
{
    int n = 0;

    if (staging->via != LC_VIA_AUTO || is_one_node(start, launcher))
        return way[0] = staging->via != LC_VIA_AUTO ? staging->via : LC_VIA_FS, 1;
    if (lc_mpi_step_is_possible(staging, launcher))
        way[n++] = LC_VIA_MPI;
    if (launcher == LC_LAUNCHER_SRUN)
        way[n++] = LC_VIA_SBCAST;
    way[n++] = LC_VIA_FS;
    return n;
}

static int stage_by(const struct lc_job_staging *staging, const struct lc_argv *start,
                    enum lc_via via, enum lc_launcher launcher, struct lc_staging_report *report,
                    struct lc_error *err)
{
    struct lc_composed step = {0};
    char real[PATH_MAX], copy[LC_STAGING_PATH] = "";
    const char *image = realpath(staging->image, real) ? real : staging->image;
    const char *word = "fs";
    int rc = 0;

    if (via == LC_VIA_MPI && lc_early_step_is_begun(staging->early))
        return lc_early_step_go(staging, image, report, err);
    if (via == LC_VIA_SBCAST)
        rc = lc_sbcast_send(staging, start, image, report->whole, copy, &word, report, err);
    report->whole = strcmp(word, "parcel") != 0;
    if (start->count > 0)
        lc_argv_add_all(&step.words, start->item);
    if (rc == 0)
        rc = via == LC_VIA_MPI ? lc_mpi_step_add(staging, &step.words, image, false, launcher, err)
                               : lc_node_step_add_stager(staging, &step, launcher, word,
                                                         via == LC_VIA_SBCAST ? copy : image, err);
    if (rc == 0)
        rc = lc_node_step_run(staging, &step, via == LC_VIA_MPI, report, err);
    int saved = errno;
    if (copy[0] && (rc < 0 || lc_staging_report_find(report, "ok", false)))
        lc_sbcast_remove(staging, start, copy);
    lc_composed_free(&step);
    errno = saved;
    return rc;
}

static int fail_unable(const json_t *unable, struct lc_error *err)
{
    errno = ENOEXEC;
    return lc_error_set(err, "MPI needs all nodes, and %s cannot take part: %s; try --via fs",
                        json_string_value(json_object_get(unable, "host")),
                        json_string_value(json_object_get(unable, "error")));
}

/* The process that sends has said why it cannot. */
static int fail_to_send(const json_t *sender, struct lc_error *err)
{
    errno = lc_node_report_says(sender, "unseen", true) ? ENOENT : ENOEXEC;
    return lc_error_set(err, "%s", json_string_value(json_object_get(sender, "error")));
}

/* Some launchers do not carry standard input to the first process, others keep it open without
 * anything in it: then the step is begun anew. */
static bool early_has_failed(bool is_early, int rc, const struct lc_staging_report *report)
{
    bool hangs = rc < 0 && errno == ETIMEDOUT && !report->awaits_verdict;

    return is_early && report->ok == 0 && !report->signal && !hangs;
}

/* Nobody has judged what lies on a node that did not report: it counts as one without the image,
 * if others have reported. Keeps errno. */
static void silent_add(struct lc_staging_report *report)
{
    int saved = errno;

    for (size_t i = 0; json_array_size(report->nodes) > 0 && i < report->silent; i++)
        json_array_append_new(report->nodes,
                              json_pack("{s:b, s:s}", "ok", 0, "error", "it did not answer"));
    errno = saved;
}

/* One way; its step is repeated if that may help. */
static int way_try(struct lc_job_staging *staging, const struct lc_argv *start, enum lc_via via,
                   enum lc_launcher launcher, struct lc_staging_report *report,
                   struct lc_error *err)
{
    size_t said = report->said.len;
    int rc, tries = 0;
    bool is_early;

    do {
        is_early = via == LC_VIA_MPI && lc_early_step_is_begun(staging->early);
        json_array_clear(report->nodes);
        if (report->said.len > said) /* by an earlier try */
            report->said.data[report->said.len = said] = '\0';
        report->odd = false;
        report->awaits_verdict = false;
        report->silent = 0;
        rc = stage_by(staging, start, via, launcher, report, err);
        int saved = errno;
        lc_staging_report_sum(report);
        errno = saved;
    } while (!report->sender && (early_has_failed(is_early, rc, report) ||
                                 lc_node_step_may_repeat(staging, via, report, rc, ++tries)));
    if (report->sender && report->ok == 0 && !report->signal)
        return fail_to_send(report->sender, err);
    json_t *unable = via == LC_VIA_MPI ? lc_staging_report_find(report, "boot", false) : NULL;
    if (unable && !report->signal)
        return fail_unable(unable, err);
    if (rc == 0 && lc_staging_report_find(report, "lacks", true) && !report->signal) {
        json_array_clear(report->nodes);
        report->whole = true;
        rc = stage_by(staging, start, via, launcher, report, err);
    }
    silent_add(report);
    return rc;
}

/* If a way fails in the reduced environment of our steps, it is tried in the user's own. */
static int way_try_in(struct lc_job_staging *staging, const struct lc_argv *start, enum lc_via via,
                      enum lc_launcher launcher, struct lc_staging_report *report,
                      struct lc_error *err)
{
    int rc = way_try(staging, start, via, launcher, report, err);

    if (rc == 0 || errno == ETIMEDOUT || report->signal || report->sender || !staging->clean ||
        staging->clean->changes.count == 0)
        return rc;
    lc_step_environment_refuse(staging->clean);
    return way_try(staging, start, via, launcher, report, err);
}

/* No node has the image: say what the first one reported. */
static int fail_everywhere(struct lc_staging_report *report, struct lc_error *err)
{
    const json_t *first = json_array_get(report->nodes, 0);
    const char *why = json_string_value(json_object_get(first, "error"));

    errno = lc_node_report_says(first, "unseen", true) ? ENOENT : ENOSPC;
    return lc_error_set(err, "no node has it: %s", why ? why : "no reason was given");
}

void lc_nodes_begin(const struct lc_job_staging *staging, struct lc_early_step *early)
{
    struct lc_argv start = {0};
    enum lc_via way[3];
    struct lc_error ignored;

    if (lc_node_step_words(staging, &start, &ignored) == 0) {
        enum lc_launcher launcher = lc_node_step_launcher(&start);
        ways_list(staging, &start, launcher, way);
        if (way[0] == LC_VIA_MPI) {
            lc_cleaning_wait(staging->dir); /* else nodes would use what is about to be removed */
            lc_early_step_begin(staging, &start, launcher, early);
        }
    }
    lc_argv_free(&start);
}

int lc_nodes_stage(const struct lc_job_staging *staging, struct lc_staging_report *report,
                   struct lc_error *err)
{
    struct lc_argv start = {0};
    struct lc_job_staging now = *staging;
    enum lc_via way[3];
    uint64_t began = lc_clock_ns();

    if (staging->here)
        return lc_here_stage(staging, report, err);
    *report = (struct lc_staging_report){
        .nodes = json_array(), .passed = json_array(), .keeps_errors = true};
    lc_staging_node_path(report->node, staging);
    int rc = staging->via == LC_VIA_RANKS
                 ? lc_error_set(err, "only the ranks of 'loadcast run' can stage by --via ranks")
                 : lc_node_step_words(staging, &start, err),
        ways = 0;
    enum lc_launcher launcher = lc_node_step_launcher(&start);
    if (rc == 0) {
        ways = ways_list(staging, &start, launcher, way);
        rc = -1;
    }
    bool hangs = false; /* if one way hangs, the others would too */
    for (int i = 0; rc < 0 && i < ways && !report->signal && !hangs; i++) {
        report->via = way[i];
        json_decref(report->sender);
        report->sender = NULL;
        rc = way_try_in(&now, &start, way[i], launcher, report, err);
        hangs = rc < 0 && errno == ETIMEDOUT;
        lc_staging_report_sum(report);
        if (rc == 0 && report->ok == 0)
            rc = fail_everywhere(report, err);
    }
    lc_staging_report_name_node(report);
    report->seconds = (double)(lc_clock_ns() - began) / 1e9;
    int saved = errno;
    if (staging->progress)
        staging->progress(staging->messages.arg, 0, 0);
    lc_argv_free(&start);
    errno = saved;
    return report->ok > 0 ? 0 : rc;
}

int lc_nodes_stage_anywhere(struct lc_job_staging *staging, struct lc_staging_report *report,
                            const char *given, struct lc_error *err)
{
    struct lc_staging_report first;
    struct lc_error why = {""};

    if (lc_nodes_stage(staging, report, err) == 0)
        return 0;
    if (given || errno != ENOSPC || strcmp(staging->dir, LC_STAGING_OTHER_DIR) == 0)
        return -1;
    first = *report;
    const char *dir = staging->dir;
    staging->dir = LC_STAGING_OTHER_DIR;
    int rc = lc_nodes_stage(staging, report, &why);
    if (rc == 0) {
        lc_staging_report_free(&first);
        return 0;
    }
    first.signal = report->signal;
    lc_staging_report_free(report); /* the reason for the first directory is the useful one */
    *report = first;
    if (!first.signal) /* after a signal something may be left in the second one */
        staging->dir = dir;
    return -1;
}
