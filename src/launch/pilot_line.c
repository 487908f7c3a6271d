/* SPDX-License-Identifier: MIT */
/* pilot_line.c - record an image before the first run */
#include "launch/job_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/launcher_options.h"
#include "util/own_path.h"

/* A program that has loaded nothing new for this time has finished its start. */
enum { SETTLE_S = 10 };

/* The options for one task. */
static const char *options_for_one_task(enum lc_launcher launcher)
{
    switch (launcher) {
    case LC_LAUNCHER_SRUN:
    case LC_LAUNCHER_FLUX:
        return "-N 1 -n 1";
    case LC_LAUNCHER_JSRUN:
        return "-n 1 -a 1";
    default:
        return "-n 1";
    }
}

static void record_command_add(struct lc_argv *out, const struct lc_job_run *run)
{
    const struct lc_run_options *o = run->options;
    char self[PATH_MAX];
    struct lc_error ignored;

    lc_argv_add(out, lc_own_front(self, &ignored) == 0 ? self : "loadcast");
    lc_argv_add(out, "record");
    lc_argv_add(out, "-o");
    lc_argv_add(out, run->image);
    for (size_t i = 0; i < o->manage.count; i++) {
        lc_argv_add(out, "--manage");
        lc_argv_add(out, o->manage.item[i]);
    }
    lc_argv_printf(out, "--for=%gs", o->pilot_for_s);
    lc_argv_printf(out, "--settle=%ds", SETTLE_S);
    lc_argv_add(out, "--end");
    lc_argv_add(out, "--");
}

/* Make the pilot's line from the user's: the launcher with one task in the environment of the
 * others, then the first program with its arguments. */
static void pilot_derive(const struct lc_job_run *run, struct lc_argv *out, char *const *record)
{
    const struct lc_launch_line *line = &run->line;
    int i = line->program[0];

    if (line->launcher != LC_LAUNCHER_NONE) {
        for (int k = 0; k < line->options; k++)
            lc_argv_add(out, run->argv[k]);
        lc_compose_kept(line, 0, lc_launcher_table(line->launcher)->pilot, out);
        lc_words_split(out, options_for_one_task(line->launcher));
    }
    lc_argv_add_all(out, record);
    for (; run->argv[i] && (line->parts < 2 || strcmp(run->argv[i], ":") != 0); i++)
        lc_argv_add(out, run->argv[i]);
}

static int pilot_compose(const struct lc_job_run *run, struct lc_argv *out, struct lc_error *err)
{
    const char *pilot = run->options->pilot;
    struct lc_argv record = {0}, given = {0};
    struct lc_composed ranks = {0};
    struct lc_launch_line line;
    char *none[] = {NULL};
    int rc = 0;

    record_command_add(&record, run);
    if (pilot && lc_words_split(&given, pilot) == 0 && given.count > 0) {
        lc_launch_line_parse(&line, given.item, NULL);
        rc = line.understood && line.programs > 0
                 ? lc_compose_ranks(&line, none, record.item, &ranks, err)
                 : lc_error_set(err, "cannot tell where the program begins in --pilot '%s'", pilot);
        if (rc == 0)
            lc_argv_add_all(out, ranks.words.item);
    } else if (pilot) {
        rc = lc_error_set(err, "--pilot '%s' is no command", pilot);
    } else if (run->line.understood && run->line.programs > 0) {
        pilot_derive(run, out, record.item);
    } else {
        rc = lc_error_set(err,
                          "cannot tell where the program begins (%s); give the pilot's own line "
                          "by --pilot",
                          run->line.why[0] ? run->line.why : "not on the line");
    }
    lc_composed_free(&ranks);
    lc_argv_free(&record);
    lc_argv_free(&given);
    return rc;
}

static int pilot_run(struct lc_job_run *run, char *const *argv, struct lc_error *err)
{
    int status = lc_line_process_run(run, argv, NULL, false, err);

    if (status > 0 && access(run->image, R_OK) < 0)
        return lc_error_set(err, "the pilot failed (status %d) and left no image",
                            WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    return status < 0 ? -1 : 0;
}

int lc_job_run_record(struct lc_job_run *run, struct lc_error *err)
{
    struct lc_argv words = {0};
    struct lc_buf text = {0};
    int rc = pilot_compose(run, &words, err);

    if (rc == 0) {
        lc_words_quote(&text, words.item);
        if (run->options->dry_run)
            lc_job_run_tell(run, LC_MESSAGE_STEP, "%s", lc_buf_text(&text));
        else
            lc_job_run_tell(run, LC_MESSAGE_WARNING, "no image '%s' yet; recording: %s", run->image,
                            lc_buf_text(&text));
    }
    if (rc == 0 && !run->options->dry_run)
        rc = pilot_run(run, words.item, err);
    lc_buf_free(&text);
    lc_argv_free(&words);
    return rc;
}
