/* SPDX-License-Identifier: MIT */
/* node_step.c - one step with a process on every node: what brings it there, and what came of it */
#include "launch/node_step.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "launch/node_package.h"
#include "launch/launcher_errors.h"
#include "launch/node_reports.h"
#include "launch/step.h"
#include "launch/launcher_options.h"
#include "stage/users.h"

enum {
    TRIES = 3 /* of one step */
};

int lc_cast_start(const struct lc_cast *cast, struct lc_argv *out, struct lc_error *err)
{
    if (cast->with)
        return lc_words_split(out, cast->with) < 0
                   ? lc_error_set(err, "--with '%s' has a quote that is not closed", cast->with)
                   : 0;
    return cast->line ? lc_compose_per_node(cast->line, out, err) : lc_compose_allocation(out, err);
}

enum lc_launcher lc_cast_launcher(const struct lc_argv *start)
{
    struct lc_line line;

    if (start->count == 0)
        return LC_LAUNCHER_NONE;
    lc_line_parse(&line, start->item, NULL);
    return line.launcher;
}

void lc_cast_kit(const struct lc_cast *cast, char out[PATH_MAX])
{
    char real[PATH_MAX];

    snprintf(out, PATH_MAX, "%s/node-kit.tgz", cast->origin);
    if (realpath(out, real))
        strcpy(out, real);
}

void lc_cast_add_job(struct lc_argv *out)
{
    char job[64];

    lc_users_job(job, sizeof(job));
    if (!job[0])
        lc_argv_add(out, "--no-job");
}

static bool is_clean_end(int status)
{
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool is_not_found(int status)
{
    return WIFEXITED(status) && WEXITSTATUS(status) == 127;
}

static int nobody_answered(const struct lc_argv *words, int status, const char *said,
                           struct lc_error *err)
{
    char sentence[LC_SENTENCE];

    errno = ENOEXEC;
    if (is_not_found(status))
        return lc_error_set(err, "'%s' was not found", words->item[0]);
    return lc_error_set(err, "no node answered '%s' (status %d)%s", words->item[0],
                        WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
                        lc_quote_sentence(sentence, said));
}

int lc_cast_run(const struct lc_cast *cast, struct lc_composed *step, bool together,
                struct lc_cast_report *report, struct lc_error *err)
{
    size_t begin = report->said.len;
    json_t *heard = json_object();
    struct lc_reports reports = {.nodes = report->nodes,
                                 .passed = report->passed,
                                 .together = together,
                                 .cast = cast,
                                 .heard = heard};
    struct lc_step how = {
        .argv = step->words.item,
        .environment = step->environment.item,
        .patience_s = cast->patience_s,
        .take = lc_reports_take,
        .arg = &reports,
        .said = report->quotes ? &report->said : NULL,
    };
    int status = 0;

    if (step->words.failed || step->environment.failed) {
        errno = ENOMEM;
        json_decref(heard);
        return lc_error_errno(err, "cannot compose the staging step");
    }
    int rc = lc_step_run(&how, &status, err);
    if (rc < 0 && errno == EINTR)
        report->signal = status;
    if (rc < 0 && errno == ETIMEDOUT)
        lc_quote_silent(step->words.item, heard, err);
    int saved = errno;
    json_decref(heard);
    errno = saved;
    bool all = reports.expected > 0 && json_array_size(report->nodes) >= reports.expected;
    report->odd = rc == 0 && !all && !is_clean_end(status) && !is_not_found(status);
    report->plain_shell = cast->plain_shell;
    return rc == 0 && json_array_size(report->nodes) == 0
               ? nobody_answered(&step->words, status, lc_buf_text(&report->said) + begin, err)
               : rc;
}

/* The words of the kit, and the launcher's own that carry its variables. */
static int add_variables(struct lc_composed *step, const char *kit, struct lc_error *err)
{
    if (lc_kit_variables(&step->environment, kit, err) < 0)
        return -1;
    for (size_t i = 0; i < step->environment.count; i++) {
        const char *variable = step->environment.item[i];
        lc_argv_add(&step->words, lc_launcher_table(LC_LAUNCHER_OPENMPI)->carry_option);
        lc_argv_printf(&step->words, "%.*s", (int)strcspn(variable, "="), variable);
    }
    return 0;
}

/* The stager with what brings it to each node. Open MPI hands the command line on as one variable,
 * which the kernel cuts at 128 KiB: there it is several. The others were not tried with long lines:
 * their nodes read the kit. */
int lc_cast_add_stager(const struct lc_cast *cast, struct lc_composed *step,
                       enum lc_launcher launcher, struct lc_error *err)
{
    static const enum lc_kit_way ways[LC_LAUNCHERS] = {
        [LC_LAUNCHER_NONE] = LC_KIT_FILE,   [LC_LAUNCHER_SRUN] = LC_KIT_WORDS,
        [LC_LAUNCHER_HYDRA] = LC_KIT_WORDS, [LC_LAUNCHER_OPENMPI] = LC_KIT_VARIABLES,
        [LC_LAUNCHER_PALS] = LC_KIT_FILE,   [LC_LAUNCHER_FLUX] = LC_KIT_FILE,
        [LC_LAUNCHER_JSRUN] = LC_KIT_FILE,  [LC_LAUNCHER_APRUN] = LC_KIT_FILE,
    };
    char kit[PATH_MAX];

    lc_cast_kit(cast, kit);
    if (ways[launcher] == LC_KIT_VARIABLES && add_variables(step, kit, err) < 0)
        return -1;
    return lc_kit_add(&step->words, ways[launcher], cast->plain_shell, kit, cast->dir, "stager",
                      err);
}

bool lc_cast_may_repeat(struct lc_cast *cast, enum lc_via via, const struct lc_cast_report *report,
                        int rc, int tries)
{
    /* A node that tells of its own fault had a shell; what a launcher ends does not say why. */
    bool missed = report->odd && !cast->plain_shell && !lc_reports_with(report, "boot", false) &&
                  !lc_reports_with(report, "fault", true);
    bool crashed = via == LC_VIA_MPI &&
                   (lc_reports_with(report, "crashed", true) || (report->odd && report->ok == 0));

    if (report->signal || (rc < 0 && errno != ENOEXEC) || tries >= TRIES)
        return false;
    cast->plain_shell |= missed;
    return missed || crashed;
}

static int end_by(const struct lc_cast *cast, const char *options, struct lc_cast_report *report,
                  struct lc_error *err)
{
    struct lc_composed step = {0};
    int rc = lc_cast_start(cast, &step.words, err);

    if (rc == 0)
        rc = lc_cast_add_stager(cast, &step, lc_cast_launcher(&step.words), err);
    lc_argv_add(&step.words, "end");
    lc_argv_printf(&step.words, "--dir=%s", cast->dir);
    lc_argv_printf(&step.words, "--id=%016" PRIx64, cast->id);
    lc_words_split(&step.words, options);
    lc_cast_add_job(&step.words);
    if (rc == 0)
        rc = lc_cast_run(cast, &step, false, report, err);
    int saved = errno;
    lc_composed_free(&step);
    errno = saved;
    return rc;
}

int lc_cast_end(const struct lc_cast *cast, bool stats, bool verify, bool clean,
                struct lc_cast_report *report, struct lc_error *err)
{
    struct lc_cast now = *cast;
    char options[64];
    int rc, tries = 0;

    snprintf(options, sizeof(options), "%s%s%s", stats ? "--stats " : "", verify ? "--verify " : "",
             clean ? "--clean" : "");
    *report = (struct lc_cast_report){.nodes = json_array(), .passed = json_array()};
    lc_cast_node(report->node, cast->dir, cast->id);
    do {
        json_array_clear(report->nodes);
        json_array_clear(report->passed);
        rc = end_by(&now, options, report, err);
    } while (lc_cast_may_repeat(&now, LC_VIA_FS, report, rc, ++tries));
    lc_reports_sum(report);
    return rc;
}
