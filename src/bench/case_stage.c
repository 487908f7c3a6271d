/* SPDX-License-Identifier: MIT */
/* case_stage.c - copy the files of a case to its target */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/case.h"
#include "bench/env.h"
#include "util/clock.h"
#include "util/human.h"
#include "util/path.h"

/* Replaces characters that should not be in a file name. */
static void file_name_clean(char *name)
{
    for (; *name; name++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_", *name))
            *name = '_';
}

/* Bench adds this script to an environment; it is kept when the tree is copied again. */
static const char rank_script[] = "import_rank.py";

static int stage_tree(struct lc_case *c, const char *from, bool with_bytecode, struct lc_error *err)
{
    char to[PATH_MAX];

    snprintf(to, sizeof(to), "%.3500s/%s", c->target->base, c->place);
    return lc_copy_tree(from, to, with_bytecode, rank_script, &c->copied, err);
}

/* Compiles bytecode on the target, by the environment's own interpreter. */
static int compile_on_target(const struct lc_case *c, struct lc_error *err)
{
    struct lc_argv argv = {0};
    char dir[PATH_MAX];

    snprintf(dir, sizeof(dir), "%.3500s/%s", c->target->base, c->place);
    lc_argv_add(&argv, "env");
    lc_argv_printf(&argv, "LD_LIBRARY_PATH=%s/lib", dir);
    lc_argv_printf(&argv, "%s/bin/python3", dir);
    lc_argv_words(&argv, "-m compileall -q -j 0");
    lc_argv_printf(&argv, "%s/lib", dir);
    lc_argv_printf(&argv, "%s/import_rank.py", dir);
    struct lc_error ignored; /* every distribution has some files that do not compile */
    int rc = lc_run(&argv, NULL, &ignored);
    lc_argv_free(&argv);
    char cache[PATH_MAX];
    snprintf(cache, sizeof(cache), "%.3800s/__pycache__", dir);
    return rc < 0 && access(cache, F_OK) < 0
               ? lc_error_set(err, "cannot compile bytecode in '%s': %s", dir, ignored.text)
               : 0;
}

/* Takes the environment where it stands, below the target's path: nothing is copied or compiled. */
static int use_in_place(struct lc_case *c, struct lc_error *err)
{
    char path[PATH_MAX], script[PATH_MAX + 32];

    if (!c->spec->env || !realpath(c->target->spec->path, path) ||
        !lc_path_is_under(c->source, path) || strcmp(c->source, path) == 0)
        return lc_error_set(err,
                            "case '%s': target '%s' is used in place, so 'env:' must name an "
                            "environment below '%s'",
                            c->spec->name, c->target->spec->name, c->target->spec->path);
    if ((size_t)snprintf(c->place, sizeof(c->place), "%s", c->source + strlen(path) + 1) >=
        sizeof(c->place))
        return lc_error_set(err, "case '%s': '%s' is too long a path", c->spec->name, c->source);
    snprintf(script, sizeof(script), "%s/%s", c->source, rank_script);
    c->source[0] = '\0'; /* no copy that could be missed */
    return access(script, R_OK) == 0 ? 0 : lc_script_write(rank_script, script, err);
}

static int stage_import(struct lc_case *c, const char *work, struct lc_error *err)
{
    char env[PATH_MAX], script[PATH_MAX];
    struct lc_env_facts facts = {0};

    if (c->spec->env)
        snprintf(env, sizeof(env), "%s", c->spec->env);
    else if (lc_env_cached(work, c->spec->python, c->spec->packages, c->spec->packages_count,
                           c->spec->mpi, env, sizeof(env), err) < 0)
        return -1;
    if (lc_env_facts(env, &facts, err) < 0)
        return -1;
    if (!realpath(env, c->source))
        return lc_error_errno(err, "case '%s': '%s'", c->spec->name, env);
    snprintf(c->python, sizeof(c->python), "%s", facts.python);
    snprintf(c->python_version, sizeof(c->python_version), "%s", facts.version);
    if (c->target->spec->in_place)
        return use_in_place(c, err);
    snprintf(c->place, sizeof(c->place), "env-%.200s", c->spec->name);
    file_name_clean(c->place);
    if (stage_tree(c, env, strcmp(c->suite->bytecode, "keep") == 0, err) < 0)
        return -1;
    snprintf(script, sizeof(script), "%.3500s/%s/%s", c->target->base, c->place, rank_script);
    if (lc_script_write(rank_script, script, err) < 0)
        return -1;
    return strcmp(c->suite->bytecode, "compile") == 0 ? compile_on_target(c, err) : 0;
}

/* Does the workload's manifest have the mode of the case? */
static int check_mode(const struct lc_case *c, struct lc_error *err)
{
    char file[PATH_MAX];
    json_error_t why;

    if ((size_t)snprintf(file, sizeof(file), "%s/manifest.json", c->spec->workload) >= sizeof(file))
        return lc_error_set(err, "case '%s': '%s' is too long a path", c->spec->name,
                            c->spec->workload);
    json_t *all = json_load_file(file, 0, &why);
    if (!all)
        return lc_error_set(err, "case '%s': no workload of 'loadcast gen' in '%s': %s",
                            c->spec->name, c->spec->workload, why.text);
    json_t *modes = json_object_get(all, "modes"), *value;
    struct lc_buf list = {0};
    const char *name;
    json_object_foreach(modes, name, value)
        lc_buf_printf(&list, "%s%s", list.len ? ", " : "", name);
    int rc = json_object_get(modes, c->spec->mode)
                 ? 0
                 : lc_error_set(err, "case '%s': the workload has no mode '%s'; it has: %s",
                                c->spec->name, c->spec->mode, lc_buf_text(&list));
    lc_buf_free(&list);
    json_decref(all);
    return rc;
}

static int stage_workload(struct lc_case *c, struct lc_error *err)
{
    char real[PATH_MAX];

    if (check_mode(c, err) < 0)
        return -1;
    if (!realpath(c->spec->workload, real))
        return lc_error_errno(err, "case '%s': '%s'", c->spec->name, c->spec->workload);
    snprintf(c->place, sizeof(c->place), "workload-%.200s", lc_path_base(real));
    file_name_clean(c->place);
    c->needs_mpi = strcmp(c->spec->mode, "cloadtest") != 0;
    if (strcmp(c->spec->mode, "mpi4py") == 0 &&
        lc_env_python(c->spec->python, c->python, sizeof(c->python), err) < 0)
        return -1;
    strcpy(c->source, real);
    return stage_tree(c, real, true, err);
}

static int stage_command(struct lc_case *c, struct lc_error *err)
{
    if (!c->spec->stage)
        return 0;
    snprintf(c->place, sizeof(c->place), "stage-%.200s", c->spec->name);
    file_name_clean(c->place);
    return stage_tree(c, c->spec->stage, strcmp(c->suite->bytecode, "exclude") != 0, err);
}

static int case_stage(struct lc_case *c, const char *work, struct lc_error *err)
{
    switch (c->spec->kind) {
    case LC_CASE_IMPORT:
        c->needs_mpi = c->spec->mpi;
        return stage_import(c, work, err);
    case LC_CASE_WORKLOAD:
    case LC_CASE_CLOADTEST:
        return stage_workload(c, err);
    case LC_CASE_COMMAND:
        c->needs_mpi = c->spec->mpi;
        return stage_command(c, err);
    case LC_CASE_DUMMY:
        break;
    }
    return 0;
}

int lc_case_prepare(struct lc_case *c, const char *work, void (*say)(const char *line),
                    struct lc_error *err)
{
    char line[400];
    uint64_t start = lc_clock_ns();

    if (case_stage(c, work, err) < 0)
        return -1;
    c->copy_s = (double)(lc_clock_ns() - start) / 1e9;
    snprintf(line, sizeof(line), "%.100s on %.100s: staged %s files, %s in %s (%s were there)",
             c->spec->name, c->target->spec->name, lc_human_count(c->copied.files).s,
             lc_human_bytes(c->copied.bytes).s, lc_human_seconds(c->copy_s).s,
             lc_human_count(c->copied.same).s);
    if (say && c->place[0])
        say(line);
    return lc_case_verify(c, say, err);
}
