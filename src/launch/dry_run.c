/* SPDX-License-Identifier: MIT */
/* dry_run.c - the steps of a run as lines that one could paste into a job script */
#include "launch/job_run.h"

#include <stdint.h>

/* The check's own output goes to standard error: standard output is the line's alone. */
static void steps_add_check(const struct lc_job_run *run, const char *image, struct lc_buf *out)
{
    char overlay[PATH_MAX], *words[] = {overlay, NULL};
    struct lc_buf name = {0};

    if (run->line.launcher == LC_LAUNCHER_NONE || !lc_job_run_name_overlay(run, overlay)) {
        lc_buf_printf(out, "image=%s\nloadcast check \"$image\" >&2\n", image);
        return;
    }
    lc_words_quote(&name, words);
    lc_buf_printf(out,
                  "image=%s overlay=%s\nloadcast check --overlay \"$overlay\" \"$image\" >&2\n",
                  image, lc_buf_text(&name));
    lc_buf_printf(out, "[ ! -e \"$overlay\" ] || image=$overlay\n");
    lc_buf_free(&name);
}

/* The options of this run that 'loadcast stage' takes too. */
static void stage_options_add(const struct lc_job_run *run, struct lc_argv *out)
{
    lc_argv_add(out, "--via");
    lc_argv_add(out, lc_via_names[run->staging.via]);
    lc_argv_add(out, "--dir");
    lc_argv_add(out, run->staging.dir);
    if (run->staging.with) {
        lc_argv_add(out, "--with");
        lc_argv_add(out, run->staging.with);
    }
    if (run->staging.helper) {
        lc_argv_add(out, "--helper");
        lc_argv_add(out, run->staging.helper);
    }
    if (run->staging.patience_s != LC_STAGING_WAIT_S)
        lc_argv_printf(out, "--wait=%gs", run->staging.patience_s);
}

/* The line itself, with $node for the node directory: a check that mends the image changes its
 * identity, and with it the path. */
static void steps_add_ranks(const struct lc_job_run *run, struct lc_buf *out)
{
    char node[LC_STAGING_PATH];
    struct lc_buf all = {0};

    lc_staging_node_path(node, &run->staging);
    if (run->ranks.environment.count > 0) {
        lc_words_quote_with(&all, run->ranks.environment.item, node, "node");
        lc_buf_putc(&all, ' ');
    }
    lc_words_quote_with(&all, run->ranks.words.item, node, "node");
    lc_buf_printf(out, "%s\n", lc_buf_text(&all));
    lc_buf_free(&all);
}

/* Variables name files in $node for all ranks, so they are used only if every node has it. */
static void steps_add_line(const struct lc_job_run *run, const char *how, const char *line,
                           struct lc_buf *out)
{
    if (run->stages_itself) {
        steps_add_ranks(run, out);
    } else if (run->has_prefix) {
        lc_buf_printf(out, "node=$(loadcast stage %s \"$image\" -- %s) || :\n", how, line);
        steps_add_ranks(run, out);
    } else {
        lc_buf_printf(out, "if node=$(loadcast stage %s \"$image\" -- %s); then\n", how, line);
        steps_add_ranks(run, out);
        lc_buf_printf(out, "else\n%s\nfi\n", line);
    }
}

void lc_job_run_show_steps(const struct lc_job_run *run, bool cleans)
{
    char *image[] = {(char *)(uintptr_t)run->image, NULL};
    struct lc_argv options = {0};
    struct lc_buf name = {0}, line = {0}, how = {0}, steps = {0};

    lc_buf_puts(&steps, "# ");
    lc_staging_choice_text(&run->choice, &steps);
    lc_buf_putc(&steps, '\n');
    stage_options_add(run, &options);
    lc_words_quote(&name, image);
    lc_words_quote(&line, run->argv);
    lc_words_quote(&how, options.item);
    steps_add_check(run, lc_buf_text(&name), &steps);
    steps_add_line(run, lc_buf_text(&how), lc_buf_text(&line), &steps);
    if (cleans && (!run->stages_itself || run->choice.nodes > 0))
        lc_buf_printf(&steps, "loadcast stage --clean %s \"$image\" -- %s\n", lc_buf_text(&how),
                      lc_buf_text(&line));
    lc_job_run_tell(run, LC_MESSAGE_STEP, "%.*s", (int)(steps.len ? steps.len - 1 : 0),
                    lc_buf_text(&steps));
    lc_argv_free(&options);
    lc_buf_free(&name);
    lc_buf_free(&line);
    lc_buf_free(&how);
    lc_buf_free(&steps);
}
