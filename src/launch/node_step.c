/* SPDX-License-Identifier: MIT */
/* node_step.c - one step of staging: a command with one process on every node, and its reports */
#include "launch/node_step.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "launch/launcher_errors.h"
#include "launch/launcher_options.h"
#include "launch/node_package.h"
#include "launch/node_reports.h"
#include "stage/users.h"

enum {
    TRIES = 3 /* of one step */
};

int lc_node_step_words(const struct lc_job_staging *staging, struct lc_argv *out,
                       struct lc_error *err)
{
    if (staging->with)
        return lc_words_split(out, staging->with) < 0
                   ? lc_error_set(err, "--with '%s' has a quote that is not closed", staging->with)
                   : 0;
    return staging->line ? lc_compose_per_node(staging->line, out, err)
                         : lc_compose_allocation(out, err);
}

enum lc_launcher lc_node_step_launcher(const struct lc_argv *start)
{
    struct lc_launch_line line;

    if (start->count == 0)
        return LC_LAUNCHER_NONE;
    lc_launch_line_parse(&line, start->item, NULL);
    return line.launcher;
}

void lc_node_package_path(const struct lc_job_staging *staging, bool is_small, char out[PATH_MAX])
{
    char real[PATH_MAX];

    snprintf(out, PATH_MAX, "%s/node-kit%s.tgz", staging->origin, is_small ? "-small" : "");
    if (realpath(out, real))
        strcpy(out, real);
    else if (is_small)
        lc_node_package_path(staging, false, out);
}

static void job_add(struct lc_argv *out)
{
    char job[64];

    lc_users_job(job, sizeof(job));
    if (!job[0])
        lc_argv_add(out, "--no-job");
}

/* Which image, and where it is. */
static void image_add(const struct lc_job_staging *staging, struct lc_argv *out)
{
    lc_argv_printf(out, "--dir=%s", staging->dir);
    lc_argv_printf(out, "--id=%016" PRIx64, staging->id);
    if (staging->only_libs)
        lc_argv_add(out, "--libs");
}

void lc_node_step_add_options(const struct lc_job_staging *staging, struct lc_argv *out)
{
    image_add(staging, out);
    /* Less than ours: a stager's report on a time-out must still come in time. */
    lc_argv_printf(out, "--patience=%g", staging->patience_s * 0.8);
    job_add(out);
}

static bool status_is_success(int status)
{
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool status_is_not_found(int status)
{
    return WIFEXITED(status) && WEXITSTATUS(status) == 127;
}

static int fail_unanswered(const struct lc_argv *words, int status, const char *said,
                           struct lc_error *err)
{
    char sentence[LC_SENTENCE];

    errno = ENOEXEC;
    if (status_is_not_found(status))
        return lc_error_set(err, "'%s' was not found", words->item[0]);
    return lc_error_set(err, "no node answered '%s' (status %d)%s", words->item[0],
                        WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
                        lc_launcher_sentence(sentence, said));
}

int lc_node_step_follow(const struct lc_job_staging *staging, struct lc_composed *step,
                        struct lc_step_process *process, bool together,
                        struct lc_staging_report *report, struct lc_error *err)
{
    size_t begin = report->said.len;
    json_t *heard = json_object(), *sampled = json_object();
    struct lc_node_reports reports = {.nodes = report->nodes,
                                      .sender = &report->sender,
                                      .passed = report->passed,
                                      .misses = &report->misses,
                                      .sampled = sampled,
                                      .together = together,
                                      .staging = staging,
                                      .heard = heard};
    struct lc_step how = {
        .argv = step->words.item,
        .clean = staging->clean ? staging->clean->changes.item : NULL,
        .environment = step->environment.item,
        .patience_s = staging->patience_s,
        .take = lc_node_reports_take,
        .arg = &reports,
        .is_idle = lc_node_reports_is_idle,
        .said = report->keeps_errors ? &report->said : NULL,
    };
    int status = 0;

    if (step->words.failed || step->environment.failed) {
        errno = ENOMEM;
        json_decref(heard);
        json_decref(sampled);
        return lc_error_errno(err, "cannot compose the staging step");
    }
    int rc =
        process ? lc_step_follow(&how, process, &status, err) : lc_step_run(&how, &status, err);
    if (rc < 0 && errno == EINTR)
        report->signal = status;
    if (rc < 0 && errno == ETIMEDOUT)
        lc_launcher_add_silent_nodes(step->words.item, heard, err);
    int saved = errno;
    json_decref(heard);
    json_decref(sampled);
    errno = saved;
    size_t told = json_array_size(report->nodes);
    bool all = reports.expected > 0 && told >= reports.expected;
    report->odd = rc == 0 && !all && !status_is_success(status) && !status_is_not_found(status);
    report->silent =
        reports.expected > told ? reports.expected - told : !all && (rc < 0 || report->odd);
    report->awaits_verdict = reports.awaits_verdict;
    report->plain_shell = staging->plain_shell;
    return rc == 0 && json_array_size(report->nodes) == 0
               ? fail_unanswered(&step->words, status, lc_buf_text(&report->said) + begin, err)
               : rc;
}

int lc_node_step_run(const struct lc_job_staging *staging, struct lc_composed *step, bool together,
                     struct lc_staging_report *report, struct lc_error *err)
{
    lc_step_environment_add(&step->environment);
    return lc_node_step_follow(staging, step, NULL, together, report, err);
}

/* The package in variables of the step, and the launcher's options that carry them to the nodes. */
static int package_add_variables(struct lc_composed *step, const char *package,
                                 struct lc_error *err)
{
    if (lc_node_package_variables(&step->environment, package, err) < 0)
        return -1;
    for (size_t i = 0; i < step->environment.count; i++) {
        const char *variable = step->environment.item[i];
        lc_argv_add(&step->words, lc_launcher_table(LC_LAUNCHER_OPENMPI)->carry_option);
        lc_argv_printf(&step->words, "%.*s", (int)strcspn(variable, "="), variable);
    }
    return 0;
}

/* Open MPI passes the command line on in one variable, which the kernel limits to 128 KiB: there
 * the package goes in several variables. Launchers that were not tested with long command lines
 * have their nodes read the package from the shared file system. */
static int stager_add(const struct lc_job_staging *staging, struct lc_composed *step,
                      enum lc_launcher launcher, struct lc_error *err)
{
    static const enum lc_package_way ways[LC_LAUNCHERS] = {
        [LC_LAUNCHER_NONE] = LC_PACKAGE_FILE,   [LC_LAUNCHER_SRUN] = LC_PACKAGE_WORDS,
        [LC_LAUNCHER_HYDRA] = LC_PACKAGE_WORDS, [LC_LAUNCHER_OPENMPI] = LC_PACKAGE_VARIABLES,
        [LC_LAUNCHER_PALS] = LC_PACKAGE_FILE,   [LC_LAUNCHER_FLUX] = LC_PACKAGE_FILE,
        [LC_LAUNCHER_JSRUN] = LC_PACKAGE_FILE,  [LC_LAUNCHER_APRUN] = LC_PACKAGE_FILE,
    };
    char package[PATH_MAX];

    lc_node_package_path(staging, true, package);
    if (ways[launcher] == LC_PACKAGE_VARIABLES && package_add_variables(step, package, err) < 0)
        return -1;
    return lc_node_package_add(&step->words, ways[launcher], staging->plain_shell, package,
                               staging->dir, "stager", err);
}

int lc_node_step_add_stager(const struct lc_job_staging *staging, struct lc_composed *step,
                            enum lc_launcher launcher, const char *word, const char *file,
                            struct lc_error *err)
{
    if (stager_add(staging, step, launcher, err) < 0)
        return -1;
    lc_argv_add(&step->words, word);
    lc_node_step_add_options(staging, &step->words);
    lc_argv_add(&step->words, file);
    return 0;
}

bool lc_node_step_may_repeat(struct lc_job_staging *staging, enum lc_via via,
                             const struct lc_staging_report *report, int rc, int tries)
{
    /* A node that reports a fault of its own had a working shell; a process that the launcher
     * killed proves nothing. */
    bool missed = report->odd && !staging->plain_shell &&
                  !lc_staging_report_find(report, "boot", false) &&
                  !lc_staging_report_find(report, "fault", true);
    bool crashed = via == LC_VIA_MPI && (lc_staging_report_find(report, "crashed", true) ||
                                         (report->odd && report->ok == 0));

    if (report->signal || (rc < 0 && errno != ENOEXEC) || tries >= TRIES)
        return false;
    staging->plain_shell |= missed;
    return missed || crashed;
}

static int visit_once(const struct lc_job_staging *staging, const char *options,
                      struct lc_staging_report *report, struct lc_error *err)
{
    struct lc_composed step = {0};
    int rc = lc_node_step_words(staging, &step.words, err);

    if (rc == 0)
        rc = stager_add(staging, &step, lc_node_step_launcher(&step.words), err);
    lc_argv_add(&step.words, "end");
    image_add(staging, &step.words);
    lc_words_split(&step.words, options);
    job_add(&step.words);
    if (rc == 0)
        rc = lc_node_step_run(staging, &step, false, report, err);
    int saved = errno;
    lc_composed_free(&step);
    errno = saved;
    return rc;
}

int lc_nodes_visit(const struct lc_job_staging *staging, bool stats, bool verify, bool clean,
                   struct lc_staging_report *report, struct lc_error *err)
{
    struct lc_job_staging now = *staging;
    char options[96];
    int rc, tries = 0;

    if (staging->here)
        return lc_here_visit(staging, stats, verify, clean, report, err);
    int n = snprintf(options, sizeof(options), "%s%s%s", stats ? "--stats " : "",
                     verify ? "--verify " : "",
                     !clean                ? ""
                     : staging->cleans_all ? "--clean --all "
                                           : "--clean ");
    if (staging->miss_nodes > 0)
        snprintf(options + n, sizeof(options) - (size_t)n, "--misses=%zu", staging->miss_nodes);
    *report = (struct lc_staging_report){
        .nodes = json_array(), .passed = json_array(), .keeps_errors = true};
    lc_staging_node_path(report->node, staging);
    do {
        json_array_clear(report->nodes);
        json_array_clear(report->passed);
        lc_misses_free(&report->misses);
        rc = visit_once(&now, options, report, err);
    } while (lc_node_step_may_repeat(&now, LC_VIA_FS, report, rc, ++tries));
    lc_staging_report_sum(report);
    return rc;
}
