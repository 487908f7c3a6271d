/* SPDX-License-Identifier: MIT */
/* run_line.c - the launch line as it is started, and as one could paste it */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/bindings/mode.h"
#include "client/node.h"
#include "cmd/run.h"
#include "launch/kit.h"

/* NAME=OURS, then the user's own. */
static void add_merged(struct lc_argv *out, const char *name, const char *node, const char *tail)
{
    const char *old = getenv(name);

    lc_argv_printf(out, "%s=%s%s%s%s", name, node, tail, old && *old ? ":" : "", old ? old : "");
}

static void add_variables(struct lc_argv *out, const char *node)
{
    lc_argv_printf(out, "%s=%s", LC_NODE_VARIABLE, node);
    add_merged(out, "LD_AUDIT", node, LC_NODE_AUDIT);
    add_merged(out, "LD_PRELOAD", node, LC_NODE_PRELOAD);
}

/* How to prune is for the client in every rank to know. */
static void add_prune(struct lc_argv *out)
{
    const char *how = getenv(LC_PRUNE_VARIABLE);

    if (how)
        lc_argv_printf(out, "%s=%s", LC_PRUNE_VARIABLE, how);
}

/* Must the staged launcher stand before the program? By environment alone a program that lies on
 * the shared disk is opened there by every rank before any of ours can answer. */
static bool wants_front(const struct lc_run *run, enum lc_wrap wrap)
{
    if (!run->line.understood || run->line.programs == 0 || wrap == LC_WRAP_NEVER)
        return false;
    return wrap == LC_WRAP_ALWAYS || run->line.launcher == LC_LAUNCHER_NONE ||
           (!run->line.drops_environment && lc_run_has_program(run));
}

int lc_run_compose(struct lc_run *run, enum lc_wrap wrap, struct lc_error *err)
{
    struct lc_argv variables = {0}, front = {0};
    char *none[] = {NULL};
    char node[LC_CAST_PATH];

    lc_cast_node(node, run->cast.dir, run->cast.id);
    run->fronted = wants_front(run, wrap);
    if (run->fronted)
        lc_kit_add_front(&front, node);
    else
        add_variables(&variables, node);
    add_prune(&variables);
    int rc = lc_compose_ranks(&run->line, variables.item ? variables.item : none,
                              run->fronted ? front.item : NULL, &run->ranks, err);
    lc_argv_free(&variables);
    lc_argv_free(&front);
    return rc;
}

int lc_run_compose_self(struct lc_run *run, struct lc_error *err)
{
    struct lc_argv front = {0}, variables = {0};
    char *none[] = {NULL};
    char node[LC_CAST_PATH], kit[PATH_MAX + 32], id[24], real[PATH_MAX];

    if (!run->line.understood || run->line.programs == 0)
        return lc_error_set(err, "cannot tell where the program begins (%s); use salloc or sbatch",
                            run->line.why[0] ? run->line.why : "it is not on the line");
    lc_cast_node(node, run->cast.dir, run->cast.id);
    snprintf(kit, sizeof(kit), "%s/node-kit.tgz", run->origin);
    snprintf(id, sizeof(id), "%016" PRIx64, run->cast.id);
    run->fronted = true;
    add_prune(&variables);
    int rc = lc_kit_add_self(&front, kit, run->cast.dir, node, id,
                             realpath(run->use, real) ? real : run->use, err);
    if (rc == 0)
        rc = lc_compose_ranks(&run->line, variables.item ? variables.item : none, front.item,
                              &run->ranks, err);
    lc_argv_free(&variables);
    lc_argv_free(&front);
    return rc;
}

/* The node directory becomes $node: the image's identity changes when a check mends it. */
static void print_with_variable(const char *text, const char *node)
{
    size_t n = strlen(node);

    for (const char *p = text; *p;)
        if (strncmp(p, node, n) == 0) {
            printf("$node");
            p += n;
        } else {
            putchar(*p++);
        }
    putchar('\n');
}

void lc_run_print(const struct lc_run *run, bool cleans)
{
    char node[LC_CAST_PATH], *image[] = {(char *)(uintptr_t)run->image, NULL};
    struct lc_buf name = {0}, line = {0}, all = {0};

    lc_cast_node(node, run->cast.dir, run->cast.id);
    lc_words_quote(&name, image);
    lc_words_quote(&line, run->argv);
    printf("loadcast check %s\n", lc_buf_text(&name));
    printf("node=$(loadcast stage --via %s --dir %s %s -- %s)\n", lc_via_name(run->cast.via),
           run->cast.dir, lc_buf_text(&name), lc_buf_text(&line));
    if (run->ranks.environment.count > 0) {
        lc_words_quote(&all, run->ranks.environment.item);
        lc_buf_putc(&all, ' ');
    }
    lc_words_quote(&all, run->ranks.words.item);
    print_with_variable(lc_buf_text(&all), node);
    if (cleans)
        printf("loadcast stage --clean --dir %s %s -- %s\n", run->cast.dir, lc_buf_text(&name),
               lc_buf_text(&line));
    lc_buf_free(&name);
    lc_buf_free(&line);
    lc_buf_free(&all);
}
