/* SPDX-License-Identifier: MIT */
/* build_elf.c - the steps of a build that need neither compiler nor linker */
#include <stdio.h>

#include "gen/build.h"
#include "gen/elf_bigexe.h"
#include "gen/elf_static.h"
#include "gen/emit_elf.h"

int lc_build_lib_elf(const struct lc_build *build, size_t number, struct lc_error *err)
{
    const struct lc_machine *machine = build->options->machine;
    size_t libs = lc_model_libs(build->model);
    bool debug = build->options->debug_info;
    struct lc_buf out = {0};
    struct lc_name room;
    char path[4096];

    snprintf(path, sizeof(path), "%s/%s.so", build->dir, lc_build_lib_name(build, number, &room));
    int rc = number < libs ? lc_emit_elf_lib(build->model, machine,
                                             lc_model_lib(build->model, number), debug, &out)
                           : lc_emit_elf_hook(build->model, machine, number == libs, debug, &out);
    if (rc < 0)
        lc_error_errno(err, "cannot make '%s'", path);
    else
        rc = lc_tree_write(path, out.data, out.len, 0777, err);
    lc_buf_free(&out);
    return rc;
}

/* Bytes of code, roughly: enough to know whether a call reaches across. */
static double code_bytes(const struct lc_build *build)
{
    const struct lc_model *m = build->model;

    return 320.0 * (double)(lc_model_functions_total(m, LC_LIB_MODULE) +
                            lc_model_functions_total(m, LC_LIB_UTILITY));
}

/* Beyond two gigabytes code cannot be called in the usual way, whoever compiles it. */
bool lc_build_fits_program(const struct lc_build *build)
{
    return code_bytes(build) < 1.9e9;
}

static bool wants_static(const struct lc_build *build)
{
    return build->modes & 1u << LC_MODE_SDB;
}

bool lc_build_has_static(const struct lc_build *build)
{
    const struct lc_machine *machine = build->options->machine;

    return wants_static(build) && machine && lc_static_reaches(machine, code_bytes(build));
}

bool lc_build_compiles_static(const struct lc_build *build)
{
    return wants_static(build) && !lc_build_has_static(build);
}

int lc_build_static_elf(const struct lc_build *build, struct lc_error *err)
{
    struct lc_static all;
    char path[4096];

    snprintf(path, sizeof(path), "%s/static_code.o", build->work);
    int rc = lc_static_open(&all, build->model, build->options->machine) < 0
                 ? lc_error_errno(err, "cannot make '%s'", path)
                 : lc_static_write(&all, path, err);
    lc_static_close(&all);
    return rc;
}

int lc_build_static_names(const struct lc_build *build, struct lc_error *err)
{
    struct lc_static all;
    char path[4096];

    snprintf(path, sizeof(path), "%s/%s", build->dir, lc_mode_name(LC_MODE_SDB));
    int rc = lc_static_open(&all, build->model, build->options->machine) < 0
                 ? lc_error_errno(err, "cannot name the functions of '%s'", path)
                 : lc_static_name(&all, path, err);
    lc_static_close(&all);
    return rc;
}

int lc_build_bigexe_elf(const struct lc_build *build, struct lc_error *err)
{
    struct lc_bigexe big = lc_build_bigexe_size(build);
    char path[4096];

    snprintf(path, sizeof(path), "%s/bigexe_text.o", build->work);
    return lc_elf_bigexe(build->options->machine, big.functions, big.steps, path, err);
}
