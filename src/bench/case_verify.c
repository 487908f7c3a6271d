/* SPDX-License-Identifier: MIT */
/* case_verify.c - run a staged case in one process before it is measured
 *
 * Interpreter and modules must be loaded from the target, and no file may be opened in the
 * directory that was copied. The operations of one process are counted. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/case.h"
#include "bench/traced.h"
#include "util/human.h"
#include "util/path.h"

static void lines_print(const char *text, void (*say)(const char *line))
{
    char line[1024];

    while (say && *text) {
        size_t len = strcspn(text, "\n");
        snprintf(line, sizeof(line), "  %.*s", (int)len, text);
        say(line);
        text += len + (text[len] == '\n');
    }
}

/* The command line: the environment's interpreter prints from where packages are loaded
 * (verify_env.py). */
static void import_words(const struct lc_case *c, const char *dir, struct lc_argv *words)
{
    lc_argv_add(words, "env");
    lc_argv_printf(words, "LD_LIBRARY_PATH=%s/lib", dir);
    lc_argv_words(words, "PYTHONDONTWRITEBYTECODE=1 PYTHONNOUSERSITE=1 PYTHONPATH=");
    lc_argv_printf(words, "%s/bin/python3", dir);
    lc_argv_add(words, "-c");
    lc_argv_add(words, lc_script_text("verify_env.py"));
    lc_argv_add(words, dir);
    for (unsigned i = 0; i < c->spec->packages_count; i++)
        lc_argv_add(words, c->spec->packages[i]);
}

static void operations_print(const struct lc_traced *t, const char *what,
                             void (*say)(const char *line))
{
    char line[300];

    snprintf(line, sizeof(line),
             "  operations of one %s, on the target: %s metadata (%s failed), %s data, %s read",
             what, lc_human_count((uint64_t)t->metadata).s, lc_human_count((uint64_t)t->failed).s,
             lc_human_count((uint64_t)t->data).s, lc_human_bytes((uint64_t)t->bytes).s);
    if (say)
        say(line);
}

/* A process that did not use the target, or opened the original instead of the copy, would measure
 * something else. */
static int trace_check(struct lc_case *c, const struct lc_traced *t, struct lc_error *err)
{
    c->import_operations = t->metadata;
    if (t->elsewhere[0])
        return lc_error_set(err, "case '%s' on target '%s': '%.600s' was opened, not its copy",
                            c->spec->name, c->target->spec->name, t->elsewhere);
    if (t->metadata == 0)
        return lc_error_set(err, "case '%s' on target '%s': one process asked nothing of '%.600s'",
                            c->spec->name, c->target->spec->name, c->target->root);
    return 0;
}

static void uncounted_print(const struct lc_error *why, void (*say)(const char *line))
{
    char line[1100];

    snprintf(line, sizeof(line), "  operations were not counted: %.1000s", why->text);
    if (say)
        say(line);
}

/* The directory that was copied; NULL if the copy is inside it. */
static const char *source_outside_target(const struct lc_case *c)
{
    return c->source[0] && !lc_path_is_under(c->target->root, c->source) &&
                   !lc_path_is_under(c->target->base, c->source)
               ? c->source
               : NULL;
}

static int verify_import(struct lc_case *c, void (*say)(const char *line), struct lc_error *err)
{
    struct lc_argv words = {0};
    struct lc_buf out = {0};
    struct lc_traced traced = {0};
    char dir[PATH_MAX];
    int rc = 0;

    snprintf(dir, sizeof(dir), "%.3500s/%s", c->target->root, c->place);
    import_words(c, dir, &words);
    if (*c->suite->count)
        rc = lc_trace_one(c, &words, source_outside_target(c), c->spec->timeout_s, &out, &traced,
                          err);
    if (rc < 0 && !traced.is_counted)
        uncounted_print(err, say);
    if (!traced.is_counted) {
        lc_buf_clear(&out);
        rc = lc_run_output_quiet(&words, &out, err);
    }
    lines_print(lc_buf_text(&out), say);
    if (traced.is_counted)
        operations_print(&traced, "import", say);
    if (rc < 0)
        lc_error_set(err, "case '%s' on target '%s': the environment is not right: %.600s",
                     c->spec->name, c->target->spec->name,
                     out.len ? lc_buf_text(&out) : "it does not run");
    else if (traced.is_counted)
        rc = trace_check(c, &traced, err);
    lc_argv_free(&words);
    lc_buf_free(&out);
    return rc;
}

/* An MPI program may fail as a single process: this is only reported; its ranks will show whether
 * it works. */
static int verify_workload(struct lc_case *c, void (*say)(const char *line), struct lc_error *err)
{
    struct lc_rank_program program;
    struct lc_argv words = {0};
    struct lc_traced traced;

    if (!*c->suite->count)
        return 0;
    if (lc_case_program(c, c->target->root, &program, err) < 0)
        return -1;
    lc_program_words(&program, &words);
    int rc =
        lc_trace_one(c, &words, source_outside_target(c), c->spec->timeout_s, NULL, &traced, err);
    if (rc == 0)
        operations_print(&traced, "process", say);
    else
        uncounted_print(err, say);
    rc = rc == 0 || traced.elsewhere[0] ? trace_check(c, &traced, err) : 0;
    lc_argv_free(&words);
    lc_rank_program_free(&program);
    return rc;
}

int lc_case_verify(struct lc_case *c, void (*say)(const char *line), struct lc_error *err)
{
    switch (c->spec->kind) {
    case LC_CASE_IMPORT:
        return verify_import(c, say, err);
    case LC_CASE_WORKLOAD:
    case LC_CASE_CLOADTEST:
        return verify_workload(c, say, err);
    case LC_CASE_COMMAND: /* not run once more: it may have side effects */
    case LC_CASE_DUMMY:
        break;
    }
    return 0;
}
