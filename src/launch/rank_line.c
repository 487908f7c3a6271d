/* SPDX-License-Identifier: MIT */
/* rank_line.c - the launch line as it is started, and as one could paste it */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launch/job_run.h"
#include "launch/node_package.h"
#include "node/bind_mode.h"
#include "node/format.h"

/* NAME=OURS and the user's own, in the order in which the launcher puts them. */
static void add_merged(struct lc_argv *out, const char *name, const char *node, const char *tail,
                       bool is_users_first)
{
    const char *set = getenv(name), *old = set ? set : "", *colon = *old ? ":" : "";

    if (is_users_first)
        lc_argv_printf(out, "%s=%s%s%s%s", name, old, colon, node, tail);
    else
        lc_argv_printf(out, "%s=%s%s%s%s", name, node, tail, colon, old);
}

static void add_variables(struct lc_argv *out, const char *node)
{
    lc_argv_printf(out, "%s=%s", LC_NODE_VARIABLE, node);
    add_merged(out, "LD_AUDIT", node, LC_NODE_AUDIT, false);
    add_merged(out, "LD_PRELOAD", node, LC_NODE_PRELOAD, true);
}

/* How to prune is for the client in every rank to know. */
static void add_prune(struct lc_argv *out)
{
    const char *how = getenv(LC_PRUNE_VARIABLE);

    if (how)
        lc_argv_printf(out, "%s=%s", LC_PRUNE_VARIABLE, how);
}

/* ld.so loads what LD_PRELOAD names, whoever put it there. On a node that has no image of ours, or
 * has it under another name, another user may have made a directory of the usual name; on one that
 * nobody has looked at in this run, he may have made it since. The line with the staged launcher
 * looks whose it is. */
static bool is_ours_everywhere(const struct lc_run *run)
{
    return !run->unseen && run->staged.failed == 0 && !run->staged.differs;
}

/* By environment alone a program that lies on the shared disk is opened there by every rank before
 * any of ours can answer. */
bool lc_run_wants_front(const struct lc_run *run, enum lc_wrap wrap)
{
    if (!run->line.understood || run->line.programs == 0 || wrap == LC_WRAP_NEVER)
        return false;
    return wrap == LC_WRAP_ALWAYS || run->line.launcher == LC_LAUNCHER_NONE ||
           !is_ours_everywhere(run) || (!run->line.drops_environment && lc_run_has_program(run));
}

static int refuse_variables(const struct lc_run *run, struct lc_error *err)
{
    const char *why = run->line.why[0] ? run->line.why : "nothing stands before the program";

    errno = EPERM;
    if (run->staged.failed == 0)
        return lc_error_set(err,
                            "on some nodes others have taken the name of its directory, and "
                            "variables alone cannot tell them apart (%s)",
                            why);
    return lc_error_set(
        err, "%zu of the nodes have no image, and variables alone cannot tell them apart (%s)",
        run->staged.failed, why);
}

/* Where it stands on the nodes, as far as they said. */
static void name_node(const struct lc_run *run, char out[LC_CAST_PATH])
{
    if (run->staged.node[0] && !run->staged.differs)
        strcpy(out, run->staged.node);
    else
        lc_cast_node(out, run->cast.dir, run->cast.id);
}

int lc_run_compose(struct lc_run *run, enum lc_wrap wrap, struct lc_error *err)
{
    struct lc_argv variables = {0}, front = {0};
    char *none[] = {NULL};
    char node[LC_CAST_PATH];

    name_node(run, node);
    run->fronted = lc_run_wants_front(run, wrap);
    if (!run->fronted && !run->unseen && !is_ours_everywhere(run)) /* what is printed asks first */
        return refuse_variables(run, err);
    if (run->fronted)
        lc_kit_add_front(&front, run->staged.plain_shell || run->staged.failed > 0, node);
    else
        add_variables(&variables, node);
    add_prune(&variables);
    int rc = lc_compose_ranks(&run->line, variables.item ? variables.item : none,
                              run->fronted ? front.item : NULL, &run->ranks, err);
    lc_argv_free(&variables);
    lc_argv_free(&front);
    return rc;
}

/* For a person to read, 'loadcast exec' does the same, from where it is installed. */
static void add_exec(const struct lc_run *run, struct lc_argv *front, const char *image)
{
    const char *const words[] = {"loadcast", "exec", "-q", "--dir", run->cast.dir, image, "--"};

    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        lc_argv_add(front, words[i]);
}

int lc_run_compose_self(struct lc_run *run, bool dry_run, struct lc_error *err)
{
    struct lc_argv front = {0}, variables = {0};
    char *none[] = {NULL};
    char node[LC_CAST_PATH], kit[PATH_MAX + 32], id[24], real[PATH_MAX];
    int rc = 0;

    if (!run->line.understood || run->line.programs == 0)
        return lc_error_set(err, "cannot tell where the program begins (%s); use salloc or sbatch",
                            run->line.why[0] ? run->line.why : "it is not on the line");
    lc_cast_node(node, run->cast.dir, run->cast.id);
    snprintf(kit, sizeof(kit), "%s/node-kit.tgz", run->origin);
    snprintf(id, sizeof(id), "%016" PRIx64, run->cast.id);
    run->fronted = run->stages_itself = true;
    add_prune(&variables);
    const char *image = realpath(run->use, real) ? real : run->use;
    if (dry_run)
        add_exec(run, &front, image);
    else
        rc = lc_kit_add_self(&front, kit, run->cast.dir, node, id, image, err);
    if (rc == 0)
        rc = lc_compose_ranks(&run->line, variables.item ? variables.item : none, front.item,
                              &run->ranks, err);
    lc_argv_free(&variables);
    lc_argv_free(&front);
    return rc;
}

/* Standard output is the line's alone. */
static void print_check(const struct lc_run *run, const char *image)
{
    char overlay[PATH_MAX], *words[] = {overlay, NULL};
    struct lc_buf name = {0};

    if (run->line.launcher == LC_LAUNCHER_NONE || !lc_run_name_overlay(run, overlay)) {
        printf("image=%s\nloadcast check \"$image\" >&2\n", image);
        return;
    }
    lc_words_quote(&name, words);
    printf("image=%s overlay=%s\nloadcast check --overlay \"$overlay\" \"$image\" >&2\n", image,
           lc_buf_text(&name));
    printf("[ ! -e \"$overlay\" ] || image=$overlay\n");
    lc_buf_free(&name);
}

/* The options of 'loadcast stage' that were given to us. */
static void add_stage_options(const struct lc_run *run, struct lc_argv *out)
{
    lc_argv_add(out, "--via");
    lc_argv_add(out, lc_via_name(run->cast.via));
    lc_argv_add(out, "--dir");
    lc_argv_add(out, run->cast.dir);
    if (run->cast.with) {
        lc_argv_add(out, "--with");
        lc_argv_add(out, run->cast.with);
    }
    if (run->cast.helper) {
        lc_argv_add(out, "--helper");
        lc_argv_add(out, run->cast.helper);
    }
    if (run->cast.patience_s != LC_CAST_WAIT_S)
        lc_argv_printf(out, "--wait=%gs", run->cast.patience_s);
}

/* The node directory becomes $node: the image's identity changes when a check mends it. */
static void print_ranks(const struct lc_run *run)
{
    char node[LC_CAST_PATH];
    struct lc_buf all = {0};

    lc_cast_node(node, run->cast.dir, run->cast.id);
    if (run->ranks.environment.count > 0) {
        lc_words_quote_with(&all, run->ranks.environment.item, node, "node");
        lc_buf_putc(&all, ' ');
    }
    lc_words_quote_with(&all, run->ranks.words.item, node, "node");
    printf("%s\n", lc_buf_text(&all));
    lc_buf_free(&all);
}

/* Variables name what is in $node for all ranks: only if every node has it. */
static void print_line(const struct lc_run *run, const char *how, const char *line)
{
    if (run->stages_itself) {
        print_ranks(run);
    } else if (run->fronted) {
        printf("node=$(loadcast stage %s \"$image\" -- %s) || :\n", how, line);
        print_ranks(run);
    } else {
        printf("if node=$(loadcast stage %s \"$image\" -- %s); then\n", how, line);
        print_ranks(run);
        printf("else\n%s\nfi\n", line);
    }
}

void lc_run_print(const struct lc_run *run, bool cleans)
{
    char *image[] = {(char *)(uintptr_t)run->image, NULL};
    struct lc_argv options = {0};
    struct lc_buf name = {0}, line = {0}, how = {0};

    add_stage_options(run, &options);
    lc_words_quote(&name, image);
    lc_words_quote(&line, run->argv);
    lc_words_quote(&how, options.item);
    print_check(run, lc_buf_text(&name));
    print_line(run, lc_buf_text(&how), lc_buf_text(&line));
    if (cleans && !run->stages_itself)
        printf("loadcast stage --clean %s \"$image\" -- %s\n", lc_buf_text(&how),
               lc_buf_text(&line));
    lc_argv_free(&options);
    lc_buf_free(&name);
    lc_buf_free(&line);
    lc_buf_free(&how);
}
