/* SPDX-License-Identifier: MIT */
/* cast.c - an image onto every node of a job: which way, and how it is started */
#include "launch/cast.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/compose.h"
#include "launch/kit.h"
#include "launch/reports.h"
#include "launch/step.h"
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

/* The words that start one process per node; none for this machine alone. */
static int add_start(const struct lc_cast *cast, struct lc_argv *out, struct lc_error *err)
{
    if (cast->with)
        return lc_words_split(out, cast->with) < 0
                   ? lc_error_set(err, "--with '%s' has a quote that is not closed", cast->with)
                   : 0;
    return cast->line ? lc_compose_per_node(cast->line, out, err) : lc_compose_allocation(out, err);
}

static enum lc_launcher launcher_of(const struct lc_argv *start)
{
    struct lc_line line;

    if (start->count == 0)
        return LC_LAUNCHER_NONE;
    lc_line_parse(&line, start->item, NULL);
    return line.launcher;
}

static bool has_pmix(void)
{
    char text[2048];
    FILE *f = popen("srun --mpi=list </dev/null 2>&1", "re");
    size_t n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;

    if (f)
        pclose(f);
    text[n] = '\0';
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
        return snprintf(out, PATH_MAX, "%s", given) > 0 && access(out, X_OK) == 0;
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
}

static void name_kit(const struct lc_cast *cast, char out[PATH_MAX])
{
    char real[PATH_MAX];

    snprintf(out, PATH_MAX, "%s/node-kit.tgz", cast->origin);
    if (realpath(out, real))
        strcpy(out, real);
}

/* Run the words, take the reports. */
static int run(const struct lc_cast *cast, struct lc_argv *words, bool together,
               struct lc_cast_report *report, struct lc_error *err)
{
    struct lc_reports reports = {
        .nodes = report->nodes, .passed = report->passed, .together = together, .cast = cast};
    struct lc_step step = {
        .argv = words->item,
        .patience_s = cast->patience_s,
        .take = lc_reports_take,
        .arg = &reports,
    };
    int status = 0;

    if (words->failed) {
        errno = ENOMEM;
        return lc_error_errno(err, "cannot compose the staging step");
    }
    int rc = lc_step_run(&step, &status, err);
    if (rc < 0 && errno == EINTR)
        report->signal = status;
    if (rc == 0 && json_array_size(report->nodes) == 0) {
        errno = ENOEXEC;
        rc = WIFEXITED(status) && WEXITSTATUS(status) == 127
                 ? lc_error_set(err, "'%s' was not found", words->item[0])
                 : lc_error_set(err, "no node answered '%s' (status %d)", words->item[0],
                                WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    }
    return rc;
}

/* The stager with the words that bring it to each node. Open MPI hands the command line on as one
 * variable, which the kernel cuts at 128 KiB: there stage-mpi, which is small, brings it. The
 * others were not tried with long lines: their nodes read the kit. So do all if MPI cannot be used
 * on one of them. */
static int add_stager(const struct lc_cast *cast, struct lc_argv *words, enum lc_launcher launcher,
                      bool by_mpi, struct lc_error *err)
{
    char kit[PATH_MAX], helper[PATH_MAX];
    bool carries = launcher == LC_LAUNCHER_SRUN || launcher == LC_LAUNCHER_HYDRA;

    name_kit(cast, kit);
    if (!by_mpi || !find_helper(cast, launcher, helper))
        return lc_kit_add(words, carries ? LC_KIT_WORDS : LC_KIT_FILE, kit, cast->dir, "stager",
                          err);
    if (lc_kit_add_program(words, helper, cast->dir, "stage-mpi", err) < 0)
        return -1;
    lc_argv_add(words, kit);
    lc_argv_add(words, "-");
    return 0;
}

/* 'word' is the stager's: "fs" for the image itself, "local" for a copy that was brought. */
static int stage_by_file(const struct lc_cast *cast, struct lc_argv *words, const char *word,
                         const char *image, enum lc_launcher launcher, bool by_mpi,
                         struct lc_error *err)
{
    if (add_stager(cast, words, launcher, by_mpi, err) < 0)
        return -1;
    lc_argv_add(words, word);
    add_options(cast, words);
    lc_argv_add(words, image);
    return 0;
}

int lc_cast_add_srun_stager(const struct lc_cast *cast, const struct lc_argv *start,
                            const char *word, const char *file, struct lc_argv *words,
                            struct lc_error *err)
{
    lc_argv_add_all(words, start->item);
    return stage_by_file(cast, words, word, file, LC_LAUNCHER_SRUN, false, err);
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
    if (launcher == LC_LAUNCHER_SRUN)
        lc_argv_add(words, strstr(helper, "mpich") ? "--mpi=pmi2" : "--mpi=pmix");
    name_kit(cast, kit);
    if (lc_kit_add_program(words, helper, cast->dir, "stage-mpi", err) < 0)
        return -1;
    lc_argv_add(words, kit);
    lc_argv_add(words, image);
    add_options(cast, words);
    return 0;
}

/* Which ways are worth trying, best first. */
static int list_ways(const struct lc_cast *cast, enum lc_launcher launcher, enum lc_via way[3])
{
    char helper[PATH_MAX];
    int n = 0;

    if (cast->via != LC_VIA_AUTO)
        return way[0] = cast->via, 1;
    if (launcher != LC_LAUNCHER_NONE && find_helper(cast, launcher, helper) &&
        (launcher != LC_LAUNCHER_SRUN || has_pmix()))
        way[n++] = LC_VIA_MPI;
    if (launcher == LC_LAUNCHER_SRUN)
        way[n++] = LC_VIA_SBCAST;
    way[n++] = LC_VIA_FS;
    return n;
}

/* With MPI all nodes must be able to take part. 'by_mpi' says whether it brings the stager. */
static int stage_by(const struct lc_cast *cast, const struct lc_argv *start, enum lc_via via,
                    enum lc_launcher launcher, bool by_mpi, struct lc_cast_report *report,
                    struct lc_error *err)
{
    struct lc_argv words = {0};
    char real[PATH_MAX], copy[LC_CAST_PATH];
    const char *image = realpath(cast->image, real) ? real : cast->image;
    const char *word = "fs";
    int rc = 0;

    if (via == LC_VIA_SBCAST)
        rc = lc_sbcast(cast, start, image, report->whole, copy, &word, report, err);
    report->whole = strcmp(word, "parcel") != 0;
    if (start->count > 0)
        lc_argv_add_all(&words, start->item);
    if (rc == 0)
        rc = via == LC_VIA_MPI
                 ? stage_by_mpi(cast, &words, image, launcher, err)
                 : stage_by_file(cast, &words, word, via == LC_VIA_SBCAST ? copy : image, launcher,
                                 by_mpi, err);
    if (rc == 0)
        rc = run(cast, &words, via == LC_VIA_MPI || by_mpi, report, err);
    int saved = errno;
    lc_argv_free(&words);
    errno = saved;
    return rc;
}

/* Was a node sent the difference only, and what it held is damaged or gone? */
static bool lacks_parts(const struct lc_cast_report *report)
{
    json_t *node;
    size_t i;

    json_array_foreach(report->nodes, i, node)
    {
        if (json_is_true(json_object_get(node, "lacks")))
            return true;
    }
    return false;
}

/* One way; again without MPI if that brought the stager and could not on some node. */
static int try_way(const struct lc_cast *cast, const struct lc_argv *start, enum lc_via via,
                   enum lc_launcher launcher, struct lc_cast_report *report, struct lc_error *err)
{
    bool by_mpi = launcher == LC_LAUNCHER_OPENMPI && !report->mixed;
    int rc = stage_by(cast, start, via, launcher, by_mpi, report, err);

    if (rc == 0 && lacks_parts(report) && !report->signal) {
        json_array_clear(report->nodes);
        report->whole = true;
        return stage_by(cast, start, via, launcher, by_mpi, report, err);
    }
    json_t *unable = via == LC_VIA_MPI || by_mpi ? lc_reports_unable(report) : NULL;
    if (!unable || report->signal)
        return rc;
    report->mixed = true;
    if (via == LC_VIA_MPI) {
        errno = ENOEXEC;
        return lc_error_set(err, "MPI needs all nodes, and %s cannot take part: %s; try --via fs",
                            json_string_value(json_object_get(unable, "host")),
                            json_string_value(json_object_get(unable, "error")));
    }
    json_array_clear(report->nodes);
    return stage_by(cast, start, via, launcher, false, report, err);
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
    enum lc_via way[3];
    uint64_t began = lc_clock_ns();

    *report = (struct lc_cast_report){.nodes = json_array(), .passed = json_array()};
    lc_cast_node(report->node, cast->dir, cast->id);
    int rc = add_start(cast, &start, err), ways = 0;
    enum lc_launcher launcher = launcher_of(&start);
    if (rc == 0) {
        ways = list_ways(cast, launcher, way);
        rc = -1;
    }
    bool hangs = false; /* then another way would hang too */
    for (int i = 0; rc < 0 && i < ways && !report->signal && !hangs; i++) {
        json_array_clear(report->nodes);
        report->via = way[i];
        rc = try_way(cast, &start, way[i], launcher, report, err);
        hangs = rc < 0 && errno == ETIMEDOUT;
        lc_reports_sum(report);
        if (rc == 0 && report->ok == 0)
            rc = nobody_has_it(report, err);
    }
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
    report->nodes = report->passed = NULL;
}

static int end_by(const struct lc_cast *cast, const char *node, const char *options, bool by_mpi,
                  struct lc_cast_report *report, struct lc_error *err)
{
    struct lc_argv words = {0};
    int rc = add_start(cast, &words, err);

    by_mpi &= launcher_of(&words) == LC_LAUNCHER_OPENMPI;
    if (rc == 0)
        rc = add_stager(cast, &words, launcher_of(&words), by_mpi, err);
    lc_argv_add(&words, "end");
    lc_argv_printf(&words, "--node=%s", node);
    lc_words_split(&words, options);
    if (rc == 0)
        rc = run(cast, &words, by_mpi, report, err);
    int saved = errno;
    lc_argv_free(&words);
    errno = saved;
    return rc;
}

int lc_cast_end(const struct lc_cast *cast, const char *node, bool stats, bool verify, bool clean,
                struct lc_cast_report *report, struct lc_error *err)
{
    char options[64];

    snprintf(options, sizeof(options), "%s%s%s", stats ? "--stats " : "", verify ? "--verify " : "",
             clean ? "--clean" : "");
    *report = (struct lc_cast_report){.nodes = json_array(), .passed = json_array()};
    snprintf(report->node, sizeof(report->node), "%s", node);
    int rc = end_by(cast, node, options, true, report, err);
    if (lc_reports_unable(report) && !report->signal) {
        json_array_clear(report->nodes);
        rc = end_by(cast, node, options, false, report, err);
    }
    lc_reports_sum(report);
    return rc;
}
