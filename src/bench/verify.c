/* SPDX-License-Identifier: MIT */
/* verify.c - try what was staged in one process: a mistake here would spoil every row
 *
 * Interpreter and modules must come from the target, nothing may be opened where it was staged
 * from, and the operations of one import are counted. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/case.h"
#include "bench/traced.h"
#include "util/human.h"
#include "util/path.h"

static void tell_lines(const char *text, void (*say)(const char *line))
{
    char line[1024];

    while (say && *text) {
        size_t len = strcspn(text, "\n");
        snprintf(line, sizeof(line), "  %.*s", (int)len, text);
        say(line);
        text += len + (text[len] == '\n');
    }
}

/* The environment's interpreter, asking where it and the packages are; see verify_env.py. */
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

static void tell_operations(const struct lc_traced *t, const char *what,
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

/* A process that asked the target for nothing, or opened what it was staged from, measures
 * something else. */
static int judge(struct lc_case *c, const struct lc_traced *t, struct lc_error *err)
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

static void tell_uncounted(const struct lc_error *why, void (*say)(const char *line))
{
    char line[1100];

    snprintf(line, sizeof(line), "  operations were not counted: %.1000s", why->text);
    if (say)
        say(line);
}

/* Where it was staged from, unless that holds the copy as well. */
static const char *source_of(const struct lc_case *c)
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
        rc = lc_trace_one(c, &words, source_of(c), c->spec->timeout_s, &out, &traced, err);
    if (rc < 0 && !traced.is_counted)
        tell_uncounted(err, say);
    if (!traced.is_counted) {
        lc_buf_clear(&out);
        rc = lc_run_output_quiet(&words, &out, err);
    }
    tell_lines(lc_buf_text(&out), say);
    if (traced.is_counted)
        tell_operations(&traced, "import", say);
    if (rc < 0)
        lc_error_set(err, "case '%s' on target '%s': the environment is not right: %.600s",
                     c->spec->name, c->target->spec->name,
                     out.len ? lc_buf_text(&out) : "it does not run");
    else if (traced.is_counted)
        rc = judge(c, &traced, err);
    lc_argv_free(&words);
    lc_buf_free(&out);
    return rc;
}

/* A program of MPI may refuse to be alone: that is said, and its ranks will tell. */
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
    int rc = lc_trace_one(c, &words, source_of(c), c->spec->timeout_s, NULL, &traced, err);
    if (rc == 0)
        tell_operations(&traced, "process", say);
    else
        tell_uncounted(err, say);
    rc = rc == 0 || traced.elsewhere[0] ? judge(c, &traced, err) : 0;
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
    case LC_CASE_COMMAND: /* nobody knows what it does to run it once more */
    case LC_CASE_DUMMY:
        break;
    }
    return 0;
}
