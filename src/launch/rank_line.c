/* SPDX-License-Identifier: MIT */
/* rank_line.c - the launch line as it is started: with our variables, or with the staged launcher
 * before each program */
#include "launch/job_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launch/node_package.h"
#include "launch/node_step.h"
#include "node/format.h"
#include "node/parts.h"

/* NAME=LIST with ours and the user's own, in the order that the staged launcher uses. */
static void variable_add_merged(struct lc_argv *out, const char *name, const char *node,
                                const char *tail, bool is_users_first)
{
    const char *set = getenv(name), *old = set ? set : "", *colon = *old ? ":" : "";

    if (is_users_first)
        lc_argv_printf(out, "%s=%s%s%s%s", name, old, colon, node, tail);
    else
        lc_argv_printf(out, "%s=%s%s%s%s", name, node, tail, colon, old);
}

static bool is_switched_off(const char *part)
{
    const char *value = getenv(part);

    return value && strcmp(value, "0") == 0;
}

static void variables_add(struct lc_argv *out, const char *node)
{
    lc_argv_printf(out, "%s=%s", LC_NODE_VARIABLE, node);
    if (!is_switched_off(LC_AUDIT_VARIABLE))
        variable_add_merged(out, "LD_AUDIT", node, LC_NODE_AUDIT, false);
    if (!is_switched_off(LC_PRELOAD_VARIABLE))
        variable_add_merged(out, "LD_PRELOAD", node, LC_NODE_PRELOAD, true);
}

/* The launcher and the client of every rank read from these variables which parts are off. */
static void variables_add_parts(struct lc_argv *out)
{
    static const char *const name[] = LC_PART_VARIABLES;

    for (size_t i = 0; i < sizeof(name) / sizeof(*name); i++)
        if (getenv(name[i]))
            lc_argv_printf(out, "%s=%s", name[i], getenv(name[i]));
}

/* ld.so loads what LD_PRELOAD names, whoever put it there. Another user may have made a directory
 * of the usual name on a node that has no image of ours, or has it under another name, or that no
 * step of this run has looked at. Then the prefix is needed, which checks the owner on each node.
 */
static bool is_ours_everywhere(const struct lc_job_run *run)
{
    return !run->is_unseen && run->staged.failed == 0 && !run->staged.differs;
}

/* With variables alone every rank opens its program on the shared file system, before the client is
 * loaded. */
bool lc_job_run_wants_prefix(const struct lc_job_run *run)
{
    enum lc_wrap wrap = run->options->wrap;

    if (!run->line.understood || run->line.programs == 0 || wrap == LC_WRAP_NEVER)
        return false;
    return wrap == LC_WRAP_ALWAYS || run->line.launcher == LC_LAUNCHER_NONE ||
           !is_ours_everywhere(run) ||
           (!run->line.drops_environment && lc_job_run_has_program(run));
}

static int variables_refuse(const struct lc_job_run *run, struct lc_error *err)
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

/* The node directory as the nodes reported it, else the usual path. */
static void node_path(const struct lc_job_run *run, char out[LC_STAGING_PATH])
{
    if (run->staged.node[0] && !run->staged.differs)
        strcpy(out, run->staged.node);
    else
        lc_staging_node_path(out, &run->staging);
}

int lc_job_run_compose(struct lc_job_run *run, struct lc_error *err)
{
    struct lc_argv variables = {0}, prefix = {0};
    char *none[] = {NULL};
    char node[LC_STAGING_PATH];

    node_path(run, node);
    run->has_prefix = lc_job_run_wants_prefix(run);
    /* The steps of a dry run use variables only if every node was staged. */
    if (!run->has_prefix && !run->is_unseen && !is_ours_everywhere(run))
        return variables_refuse(run, err);
    if (run->has_prefix)
        lc_node_package_add_rank_prefix(&prefix, run->staged.plain_shell || run->staged.failed > 0,
                                        node);
    else
        variables_add(&variables, node);
    variables_add_parts(&variables);
    int rc = lc_compose_ranks(&run->line, variables.item ? variables.item : none,
                              run->has_prefix ? prefix.item : NULL, &run->ranks, err);
    lc_argv_free(&variables);
    lc_argv_free(&prefix);
    return rc;
}

/* In a dry run 'loadcast exec' stands for the long prefix, and does the same. */
static void prefix_add_exec(const struct lc_job_run *run, struct lc_argv *prefix, const char *image)
{
    const char *const words[] = {"loadcast", "exec", "-q", "--dir", run->staging.dir, image, "--"};

    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        lc_argv_add(prefix, words[i]);
}

/* What the stager of each rank is told. */
static void stager_words_add(const struct lc_job_run *run, const char *image, struct lc_argv *out)
{
    lc_node_step_add_options(&run->staging, out);
    if (run->has_janitors)
        lc_argv_add(out, "--janitor");
    if (run->options->strict)
        lc_argv_add(out, "--strict");
    lc_argv_add(out, image);
}

/* The package goes into the launcher's environment, once; the line only names its variables. */
static int package_add_variables(struct lc_job_run *run, const char *package, struct lc_argv *names,
                                 struct lc_error *err)
{
    struct lc_argv *values = &run->ranks.environment;

    if (lc_node_package_variables(values, package, err) < 0)
        return -1;
    for (size_t i = 0; i < values->count; i++)
        lc_argv_printf(names, "%.*s", (int)strcspn(values->item[i], "="), values->item[i]);
    return 0;
}

int lc_job_run_compose_self(struct lc_job_run *run, struct lc_error *err)
{
    struct lc_argv prefix = {0}, variables = {0}, words = {0};
    struct lc_launch_line line = run->line;
    char *none[] = {NULL};
    char node[LC_STAGING_PATH], package[PATH_MAX], real[PATH_MAX];
    const char *image = realpath(run->use, real) ? real : run->use;
    struct lc_self_staging how = {
        .way = line.launcher == LC_LAUNCHER_OPENMPI ? LC_PACKAGE_VARIABLES : LC_PACKAGE_WORDS,
        .plain = !lc_job_run_needs_loader(run, lc_node_package_loader()),
        .is_strict = run->options->strict,
        .package = package,
        .dir = run->staging.dir,
        .node = node,
        .words = &words,
    };
    int rc = 0;

    lc_staging_node_path(node, &run->staging);
    lc_node_package_path(&run->staging, true, package);
    stager_words_add(run, image, &words);
    run->has_prefix = run->stages_itself = true;
    variables_add_parts(&variables);
    if (run->options->dry_run)
        prefix_add_exec(run, &prefix, image);
    else
        rc = lc_node_package_add_self_staging(&prefix, &how, err);
    if (rc == 0 && !run->options->dry_run && how.way == LC_PACKAGE_VARIABLES) {
        line.has_x = true; /* a list in one variable would be too long */
        rc = package_add_variables(run, package, &variables, err);
    }
    if (rc == 0)
        rc = lc_compose_ranks(&line, variables.item ? variables.item : none, prefix.item,
                              &run->ranks, err);
    lc_argv_free(&words);
    lc_argv_free(&variables);
    lc_argv_free(&prefix);
    return rc;
}
