/* SPDX-License-Identifier: MIT */
/* stage_here.c - a launch line that runs on this machine alone: this process does what a stager
 * does on other nodes, so that nothing is started beside the line */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "launch/node_reports.h"
#include "launch/stage_nodes.h"
#include "stage/clean.h"
#include "stage/fit.h"
#include "stage/nodedir.h"
#include "stage/stage.h"
#include "stage/users.h"
#include "stage/visit.h"
#include "util/clock.h"
#include "util/json.h"

static bool has_no_job(void)
{
    char job[64];

    lc_users_job(job, sizeof(job));
    return !job[0];
}

static void report_begin(struct lc_staging_report *report, const struct lc_job_staging *staging)
{
    *report = (struct lc_staging_report){
        .via = LC_VIA_FS, .nodes = json_array(), .passed = json_array(), .keeps_errors = true};
    lc_staging_node_path(report->node, staging);
}

static void report_add(struct lc_staging_report *report, json_t *node)
{
    char host[256] = "?";

    gethostname(host, sizeof(host) - 1);
    json_object_set_new(node, "host", lc_json_text(host));
    json_array_append_new(report->nodes, node);
    lc_staging_report_sum(report);
    lc_staging_report_name_node(report);
}

/* After a failure: remove what dead stagers left, and this user's directory if it is empty. */
static void user_sweep(void *arg, int user, const char *user_path)
{
    (void)arg;
    lc_clean_user(user, user_path, LC_CLEAN_STALE, NULL, NULL, NULL);
    if (has_no_job())
        rmdir(user_path);
}

static int fail_here(const char *dir)
{
    int code = errno == ETIMEDOUT || errno == EBADMSG ? errno : ENOSPC;

    lc_nodedir_each_user(dir, user_sweep, NULL, NULL);
    errno = code;
    return -1;
}

int lc_here_stage(const struct lc_job_staging *staging, struct lc_staging_report *report,
                  struct lc_error *err)
{
    const struct lc_stage_options how = {
        .dir = staging->dir,
        .only_libs = staging->only_libs,
        .must_exec = true,
        .patience_s = staging->patience_s,
        .origin = staging->origin,
        .id = staging->id,
    };
    struct lc_nodedir node;
    struct lc_stage_report did;
    uint64_t began = lc_clock_ns();

    report_begin(report, staging);
    int rc = lc_stage(staging->image, &how, &node, &did, err);
    if (rc == 0 && lc_fit_glibc(&node.look, err) < 0) {
        lc_nodedir_close(&node);
        rc = -1;
    }
    if (rc < 0)
        return fail_here(staging->dir);
    report_add(report, json_pack("{s:b, s:o, s:b, s:I, s:I, s:I}", "ok", 1, "node",
                                 lc_json_text(node.path), "fresh", did.fresh, "files",
                                 (json_int_t)did.files, "bytes", (json_int_t)did.bytes, "wire",
                                 (json_int_t)(did.fresh ? did.bytes - did.copied : 0)));
    lc_nodedir_close(&node); /* what is mapped counts as used */
    report->seconds = (double)(lc_clock_ns() - began) / 1e9;
    return 0;
}

static void user_leave(void *arg, int user, const char *user_path)
{
    int node = openat(user, arg, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    (void)user_path;
    if (node < 0)
        return;
    lc_users_leave(node);
    close(node);
}

void lc_here_leave(const struct lc_job_staging *staging)
{
    char name[LC_NODEDIR_NAME];

    lc_nodedir_name(name, staging->id, staging->only_libs);
    lc_nodedir_each_user(staging->dir, user_leave, NULL, name);
}

/* Processes of the line may outlive it by a moment, and a directory in use is not removed. */
enum { TRIES = 25, PAUSE_US = 10000 };

static void removal_retry(const struct lc_visit *visit, json_t *node)
{
    struct lc_visit again = *visit;
    json_t *later = json_object();

    again.stats = again.verify = false;
    again.misses = NULL;
    lc_visit_node(&again, later);
    json_object_set(node, "removed", json_object_get(later, "removed"));
    json_decref(later);
}

static void path_keep(void *arg, json_t *path)
{
    struct lc_staging_report *report = arg;

    json_array_append_new(report->passed, path);
}

int lc_here_visit(const struct lc_job_staging *staging, bool stats, bool verify, bool clean,
                  struct lc_staging_report *report, struct lc_error *err)
{
    const struct lc_visit visit = {
        .dir = staging->dir,
        .id = staging->id,
        .only_libs = staging->only_libs,
        .stats = stats,
        .verify = verify,
        .clean = clean,
        .all = staging->cleans_all,
        .no_job = has_no_job(),
        .path = path_keep,
        .arg = report,
        .misses = staging->miss_nodes > 0 ? &report->misses : NULL,
    };
    json_t *node = json_object();

    (void)err; /* what is wrong stands in the node's report */
    report_begin(report, staging);
    lc_visit_node(&visit, node);
    for (int i = 0; clean && i < TRIES && lc_node_report_says(node, "removed", false); i++) {
        usleep(PAUSE_US);
        removal_retry(&visit, node);
    }
    report_add(report, node);
    return 0;
}
