/* SPDX-License-Identifier: MIT */
/* stage_nodes.c - an image onto every node of a job: which way, and how it is started */
#include "launch/stage_nodes.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/node_step.h"
#include "launch/compose.h"
#include "launch/node_package.h"
#include "launch/node_reports.h"
#include "launch/step.h"
#include "launch/launcher_options.h"
#include "util/clock.h"
#include "util/path.h"

const char *lc_via_name(enum lc_via via)
{
    static const char *const names[] = {"auto", "mpi", "sbcast", "fs"};

    return names[via];
}

void lc_cast_node(char out[LC_CAST_PATH], const char *dir, uint64_t id)
{
    snprintf(out, LC_CAST_PATH, "%s/loadcast-%lu/%016" PRIx64, dir, (unsigned long)geteuid(), id);
}

static bool has_pmix(void)
{
    char text[2048];

    lc_step_ask("srun", "--mpi=list", text, sizeof(text));
    return strstr(text, "pmix");
}

/* The stage-mpi for a launcher; false if there is none. */
static bool find_helper(const struct lc_cast *cast, enum lc_launcher launcher, char out[PATH_MAX])
{
    const char *given = cast->helper ? cast->helper : getenv("LOADCAST_STAGE_MPI");
    static const char *const names[LC_LAUNCHERS] = {
        [LC_LAUNCHER_SRUN] = "stage-mpi.openmpi",
        [LC_LAUNCHER_OPENMPI] = "stage-mpi.openmpi",
        [LC_LAUNCHER_HYDRA] = "stage-mpi.mpich",
    };

    if (given)
        return snprintf(out, PATH_MAX, "%s", given) < PATH_MAX && access(out, X_OK) == 0;
    snprintf(out, PATH_MAX, "%s/stage-mpi", cast->origin); /* what a centre built for its own MPI */
    if (access(out, X_OK) == 0)
        return true;
    if (!names[launcher])
        return false;
    snprintf(out, PATH_MAX, "%s/%s", cast->origin, names[launcher]);
    return access(out, X_OK) == 0;
}

static void add_options(const struct lc_cast *cast, struct lc_argv *out)
{
    lc_argv_printf(out, "--dir=%s", cast->dir);
    lc_argv_printf(out, "--id=%016" PRIx64, cast->id);
    lc_argv_printf(out, "--patience=%g", cast->patience_s * 0.8); /* its report must come in time */
    lc_cast_add_job(out);
}

/* 'word' is the stager's: "fs" for the image itself, "local" for a copy that was brought. */
static int stage_by_file(const struct lc_cast *cast, struct lc_composed *step, const char *word,
                         const char *image, enum lc_launcher launcher, struct lc_error *err)
{
    if (lc_cast_add_stager(cast, step, launcher, err) < 0)
        return -1;
    lc_argv_add(&step->words, word);
    add_options(cast, &step->words);
    lc_argv_add(&step->words, image);
    return 0;
}

int lc_cast_add_srun_stager(const struct lc_cast *cast, const struct lc_argv *start,
                            const char *word, const char *file, struct lc_composed *step,
                            struct lc_error *err)
{
    lc_argv_add_all(&step->words, start->item);
    return stage_by_file(cast, step, word, file, LC_LAUNCHER_SRUN, err);
}

static int stage_by_mpi(const struct lc_cast *cast, struct lc_argv *words, const char *image,
                        enum lc_launcher launcher, struct lc_error *err)
{
    char helper[PATH_MAX], kit[PATH_MAX];

    if (!find_helper(cast, launcher, helper)) {
        errno = ENOENT;
        return lc_error_set(err,
                            "no stage-mpi for %s; build it with its mpicc: mpicc -O2 -o stage-mpi "
                            "%s/stage-mpi.c, then --helper ./stage-mpi",
                            lc_launcher_name(launcher), cast->origin);
    }
    if (launcher == LC_LAUNCHER_SRUN) {
        lc_argv_add(words, strstr(helper, "mpich") ? "--mpi=pmi2" : "--mpi=pmix");
        lc_argv_add(words, "--kill-on-bad-exit=1"); /* the others would wait for it */
    }
    lc_cast_kit(cast, kit);
    if (lc_kit_add_program(words, cast->plain_shell, helper, cast->dir, "stage-mpi", err) < 0)
        return -1;
    lc_argv_add(words, kit);
    lc_argv_add(words, image);
    add_options(cast, words);
    return 0;
}

/* One node alone reads the image anyhow, and need not wait for MPI to start. */
static bool is_one_node(const struct lc_argv *start, enum lc_launcher launcher)
{
    if (launcher == LC_LAUNCHER_SRUN)
        return lc_compose_slurm_nodes() == 1;
    for (size_t i = 1; launcher == LC_LAUNCHER_OPENMPI && i + 1 < start->count; i++)
        if (lc_table_has("-H -host --host", start->item[i], (int)strlen(start->item[i])))
            return !strchr(start->item[i + 1], ',');
    return false;
}

/* Which ways are worth trying, best first. */
static int list_ways(const struct lc_cast *cast, const struct lc_argv *start,
                     enum lc_launcher launcher, enum lc_via way[3])
{
    char helper[PATH_MAX];
    int n = 0;

    if (cast->via != LC_VIA_AUTO || is_one_node(start, launcher))
        return way[0] = cast->via != LC_VIA_AUTO ? cast->via : LC_VIA_FS, 1;
    if (launcher != LC_LAUNCHER_NONE && find_helper(cast, launcher, helper) &&
        (launcher != LC_LAUNCHER_SRUN || has_pmix()))
        way[n++] = LC_VIA_MPI;
    if (launcher == LC_LAUNCHER_SRUN)
        way[n++] = LC_VIA_SBCAST;
    way[n++] = LC_VIA_FS;
    return n;
}

static int stage_by(const struct lc_cast *cast, const struct lc_argv *start, enum lc_via via,
                    enum lc_launcher launcher, struct lc_cast_report *report, struct lc_error *err)
{
    struct lc_composed step = {0};
    char real[PATH_MAX], copy[LC_CAST_PATH] = "";
    const char *image = realpath(cast->image, real) ? real : cast->image;
    const char *word = "fs";
    int rc = 0;

    if (via == LC_VIA_SBCAST)
        rc = lc_sbcast(cast, start, image, report->whole, copy, &word, report, err);
    report->whole = strcmp(word, "parcel") != 0;
    if (start->count > 0)
        lc_argv_add_all(&step.words, start->item);
    if (rc == 0)
        rc = via == LC_VIA_MPI ? stage_by_mpi(cast, &step.words, image, launcher, err)
                               : stage_by_file(cast, &step, word,
                                               via == LC_VIA_SBCAST ? copy : image, launcher, err);
    if (rc == 0)
        rc = lc_cast_run(cast, &step, via == LC_VIA_MPI, report, err);
    int saved = errno;
    if (copy[0] && (rc < 0 || lc_reports_with(report, "ok", false)))
        lc_sbcast_forget(cast, start, copy);
    lc_composed_free(&step);
    errno = saved;
    return rc;
}

/* With MPI all nodes must be able to take part. */
static int cannot_take_part(const json_t *unable, struct lc_error *err)
{
    errno = ENOEXEC;
    return lc_error_set(err, "MPI needs all nodes, and %s cannot take part: %s; try --via fs",
                        json_string_value(json_object_get(unable, "host")),
                        json_string_value(json_object_get(unable, "error")));
}

/* One way, again if that may help. */
static int try_way(struct lc_cast *cast, const struct lc_argv *start, enum lc_via via,
                   enum lc_launcher launcher, struct lc_cast_report *report, struct lc_error *err)
{
    size_t said = report->said.len;
    int rc, tries = 0;

    do {
        json_array_clear(report->nodes);
        if (report->said.len > said) /* of an earlier try */
            report->said.data[report->said.len = said] = '\0';
        report->odd = false;
        rc = stage_by(cast, start, via, launcher, report, err);
        int saved = errno;
        lc_reports_sum(report);
        errno = saved;
    } while (lc_cast_may_repeat(cast, via, report, rc, ++tries));
    json_t *unable = via == LC_VIA_MPI ? lc_reports_with(report, "boot", false) : NULL;
    if (unable && !report->signal)
        return cannot_take_part(unable, err);
    if (rc == 0 && lc_reports_with(report, "lacks", true) && !report->signal) {
        json_array_clear(report->nodes);
        report->whole = true;
        rc = stage_by(cast, start, via, launcher, report, err);
    }
    if (rc == 0 && report->odd) /* somebody must be missing */
        json_array_append_new(report->nodes,
                              json_pack("{s:b, s:s}", "ok", 0, "error", "it did not answer"));
    return rc;
}

/* None has it: what did they say? */
static int nobody_has_it(struct lc_cast_report *report, struct lc_error *err)
{
    const char *why = json_string_value(json_object_get(json_array_get(report->nodes, 0), "error"));

    errno = ENOSPC;
    return lc_error_set(err, "no node has it: %s", why ? why : "no reason was given");
}

int lc_cast_stage(const struct lc_cast *cast, struct lc_cast_report *report, struct lc_error *err)
{
    struct lc_argv start = {0};
    struct lc_cast now = *cast;
    enum lc_via way[3];
    uint64_t began = lc_clock_ns();

    *report =
        (struct lc_cast_report){.nodes = json_array(), .passed = json_array(), .quotes = true};
    lc_cast_node(report->node, cast->dir, cast->id);
    int rc = lc_cast_start(cast, &start, err), ways = 0;
    enum lc_launcher launcher = lc_cast_launcher(&start);
    if (rc == 0) {
        ways = list_ways(cast, &start, launcher, way);
        rc = -1;
    }
    bool hangs = false; /* then another way would hang too */
    for (int i = 0; rc < 0 && i < ways && !report->signal && !hangs; i++) {
        report->via = way[i];
        rc = try_way(&now, &start, way[i], launcher, report, err);
        hangs = rc < 0 && errno == ETIMEDOUT;
        lc_reports_sum(report);
        if (rc == 0 && report->ok == 0)
            rc = nobody_has_it(report, err);
    }
    lc_reports_node(report);
    report->seconds = (double)(lc_clock_ns() - began) / 1e9;
    int saved = errno;
    lc_argv_free(&start);
    errno = saved;
    return report->ok > 0 ? 0 : rc;
}

void lc_cast_report_free(struct lc_cast_report *report)
{
    json_decref(report->nodes);
    json_decref(report->passed);
    lc_buf_free(&report->said);
    report->nodes = report->passed = NULL;
}
