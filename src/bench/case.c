/* SPDX-License-Identifier: MIT */
/* case.c - the command line of a rank, for each kind of case */
#include "bench/case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wordexp.h>

void lc_rank_program_free(struct lc_rank_program *program)
{
    lc_argv_free(&program->variable);
    lc_argv_free(&program->argv);
}

const char *lc_case_mode(const struct lc_case *c)
{
    return c->spec->kind == LC_CASE_WORKLOAD || c->spec->kind == LC_CASE_CLOADTEST
               ? c->spec->mode
               : c->spec->kind_name;
}

static void program_add_import(const struct lc_case *c, const char *dir, struct lc_rank_program *p)
{
    lc_argv_printf(&p->variable, "LD_LIBRARY_PATH=%s/lib", dir);
    lc_argv_add(&p->variable, "PYTHONDONTWRITEBYTECODE=1");
    lc_argv_add(&p->variable, "PYTHONNOUSERSITE=1");
    lc_argv_add(&p->variable, "PYTHONPATH=");
    lc_argv_add(&p->variable, "OPENBLAS_NUM_THREADS=1");
    lc_argv_printf(&p->argv, "%s/bin/python3", dir);
    lc_argv_printf(&p->argv, "%s/import_rank.py", dir);
    if (c->spec->mpi)
        lc_argv_add(&p->argv, "--mpi");
    for (unsigned i = 0; i < c->spec->packages_count; i++)
        lc_argv_add(&p->argv, c->spec->packages[i]);
}

/* The command lines of doc/workload.md. */
static void program_add_workload(const struct lc_case *c, const char *dir,
                                 struct lc_rank_program *p)
{
    const char *mode = c->spec->mode;

    lc_argv_add(&p->variable, "PYTHONDONTWRITEBYTECODE=1");
    if (strcmp(mode, "mpi4py") == 0) {
        lc_argv_add(&p->argv, c->python);
        lc_argv_printf(&p->argv, "%s/pynamic_driver_mpi4py.py", dir);
    } else {
        lc_argv_printf(&p->argv, "%s/%s", dir, mode);
        if (strncmp(mode, "cloadtest", 9) != 0)
            lc_argv_printf(&p->argv, "%s/pynamic_driver.py", dir);
    }
    lc_argv_add(&p->argv, "{start}");
}

/* 'text' with {target} replaced by 'dir'; freed by the caller. NULL if memory ran out. */
static char *text_fill_target(const char *text, const char *dir)
{
    struct lc_buf out = {0};

    for (const char *at; (at = strstr(text, "{target}")); text = at + strlen("{target}")) {
        lc_buf_add(&out, text, (size_t)(at - text));
        lc_buf_puts(&out, dir);
    }
    lc_buf_puts(&out, text);
    if (out.failed)
        lc_buf_free(&out);
    return out.data;
}

/* Splits the command into words like a shell, with quotes but without command substitution. */
static int program_add_command(const struct lc_case *c, const char *dir, struct lc_rank_program *p,
                               struct lc_error *err)
{
    char *text = text_fill_target(c->spec->command, "@@target@@"); /* wordexp() refuses braces */
    wordexp_t words;

    if (!text || wordexp(text, &words, WRDE_NOCMD) != 0) {
        free(text);
        return lc_error_set(err, "case '%s': cannot split into words: %s", c->spec->name,
                            c->spec->command);
    }
    for (size_t i = 0; i < words.we_wordc; i++) {
        struct lc_buf word = {0};
        const char *from = words.we_wordv[i];
        for (const char *at; (at = strstr(from, "@@target@@")); from = at + 10) {
            lc_buf_add(&word, from, (size_t)(at - from));
            lc_buf_puts(&word, dir);
        }
        lc_buf_puts(&word, from);
        lc_argv_add(&p->argv, lc_buf_text(&word));
        lc_buf_free(&word);
    }
    wordfree(&words);
    free(text);
    lc_argv_printf(&p->variable, "LOADCAST_TARGET=%s", dir);
    return p->argv.count > 0 ? 0 : lc_error_set(err, "case '%s': empty command", c->spec->name);
}

int lc_case_program(const struct lc_case *c, const char *base, struct lc_rank_program *program,
                    struct lc_error *err)
{
    char dir[PATH_MAX];
    int rc = 0;

    *program = (struct lc_rank_program){.dir = ""};
    snprintf(dir, sizeof(dir), "%.3500s%s%s", base, c->place[0] ? "/" : "", c->place);
    switch (c->spec->kind) {
    case LC_CASE_IMPORT:
        program_add_import(c, dir, program);
        break;
    case LC_CASE_WORKLOAD:
    case LC_CASE_CLOADTEST:
        program_add_workload(c, dir, program);
        break;
    case LC_CASE_COMMAND:
        rc = program_add_command(c, dir, program, err);
        break;
    case LC_CASE_DUMMY:
        lc_argv_add(&program->argv, c->programs->dummy);
        break;
    }
    if (rc == 0 && (program->argv.failed || program->variable.failed))
        rc = lc_error_set(err, "out of memory");
    if (rc < 0)
        lc_rank_program_free(program);
    return rc;
}
