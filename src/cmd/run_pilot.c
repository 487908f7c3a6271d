/* SPDX-License-Identifier: MIT */
/* run_pilot.c - record an image before the first run */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/run.h"
#include "launch/table.h"
#include "util/own_path.h"

/* A program that has asked for nothing new for so long has loaded what it loads at its start. */
enum { SETTLE_S = 10 };

/* One task, by each launcher's own words. */
static const char *one_task(enum lc_launcher launcher)
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

static void add_record(struct lc_argv *out, const struct lc_run *run,
                       const struct lc_run_pilot *how)
{
    char self[PATH_MAX];
    struct lc_error ignored;

    lc_argv_add(out, lc_own_front(self, &ignored) == 0 ? self : "loadcast");
    lc_argv_add(out, "record");
    lc_argv_add(out, "-o");
    lc_argv_add(out, run->image);
    for (size_t i = 0; i < how->manage->count; i++) {
        lc_argv_add(out, "--manage");
        lc_argv_add(out, how->manage->item[i]);
    }
    lc_argv_printf(out, "--for=%gs", how->for_s);
    lc_argv_printf(out, "--settle=%ds", SETTLE_S);
    lc_argv_add(out, "--end");
    lc_argv_add(out, "--");
}

/* The launcher with one task and the environment of the others, then the first program of the line
 * with its arguments. */
static void derive(const struct lc_run *run, struct lc_argv *out, char *const *record)
{
    const struct lc_line *line = &run->line;
    int i = line->program[0];

    if (line->launcher != LC_LAUNCHER_NONE) {
        for (int k = 0; k < line->options; k++)
            lc_argv_add(out, run->argv[k]);
        lc_compose_kept(line, 0, lc_launcher_table(line->launcher)->pilot, out);
        lc_words_split(out, one_task(line->launcher));
    }
    lc_argv_add_all(out, record);
    for (; run->argv[i] && (line->parts < 2 || strcmp(run->argv[i], ":") != 0); i++)
        lc_argv_add(out, run->argv[i]);
}

static int compose(const struct lc_run *run, const struct lc_run_pilot *how, struct lc_argv *out,
                   struct lc_error *err)
{
    struct lc_argv record = {0}, given = {0};
    struct lc_composed ranks = {0};
    struct lc_line line;
    char *none[] = {NULL};
    int rc = 0;

    add_record(&record, run, how);
    if (how->line && lc_words_split(&given, how->line) == 0 && given.count > 0) {
        lc_line_parse(&line, given.item, NULL);
        rc = line.understood && line.programs > 0
                 ? lc_compose_ranks(&line, none, record.item, &ranks, err)
                 : lc_error_set(err, "cannot tell where the program begins in --pilot '%s'",
                                how->line);
        if (rc == 0)
            lc_argv_add_all(out, ranks.words.item);
    } else if (how->line) {
        rc = lc_error_set(err, "--pilot '%s' is no command", how->line);
    } else if (run->line.understood && run->line.programs > 0) {
        derive(run, out, record.item);
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

int lc_run_record(const struct lc_run *run, const struct lc_run_pilot *how, int *asked,
                  struct lc_error *err)
{
    struct lc_argv words = {0};
    struct lc_buf text = {0};
    int rc = compose(run, how, &words, err);

    if (rc == 0) {
        lc_words_quote(&text, words.item);
        if (how->dry_run)
            printf("%s\n", lc_buf_text(&text));
        else
            fprintf(stderr, "loadcast run: no image '%s' yet; recording: %s\n", run->image,
                    lc_buf_text(&text));
    }
    if (rc == 0 && !how->dry_run) {
        int status = lc_run_child(words.item, NULL, false, asked, err);
        rc = status < 0 ? -1 : 0;
        if (status > 0 && access(run->image, R_OK) < 0)
            rc = lc_error_set(err, "the pilot failed (status %d) and left no image",
                              WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    }
    lc_buf_free(&text);
    lc_argv_free(&words);
    return rc;
}
