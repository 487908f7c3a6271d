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
    struct lc_symbol_name room;
    char path[4096];

    snprintf(path, sizeof(path), "%s/%s.so", build->dir, lc_build_lib_name(build, number, &room));
    int rc = number < libs ? lc_emit_elf_lib(build->model, machine,
                                             lc_model_lib(build->model, number), debug, &out)
                           : lc_emit_elf_hook(build->model, machine, number == libs, debug, &out);
    if (rc < 0)
        lc_error_errno(err, "cannot make '%s'", path);
    else
        rc = lc_output_tree_write(path, out.data, out.len, 0777, err);
    lc_buf_free(&out);
    return rc;
}

/* An estimate of the bytes of code, to decide whether a call can reach all of it. */
static double code_bytes(const struct lc_build *build)
{
    const struct lc_model *m = build->model;

    return 320.0 * (double)(lc_model_functions_total(m, LC_LIB_MODULE) +
                            lc_model_functions_total(m, LC_LIB_UTILITY));
}

/* Code of more than two gigabytes cannot be called directly, whichever compiler made it. */
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

int lc_build_static_open(struct lc_build *build, struct lc_error *err)
{
    if (!lc_build_has_static(build) ||
        lc_static_open(&build->code, build->model, build->options->machine) == 0)
        return 0;
    return lc_error_errno(err, "cannot make the static code");
}

int lc_build_static_elf(const struct lc_build *build, struct lc_error *err)
{
    struct lc_static code = build->code; /* a copy; the tables it points to are shared */
    char path[4096];

    snprintf(path, sizeof(path), "%s/static_code.o", build->work);
    return lc_static_write(&code, path, err);
}

int lc_build_static_names(const struct lc_build *build, struct lc_error *err)
{
    char path[4096];

    snprintf(path, sizeof(path), "%s/%s", build->dir, lc_mode_name(LC_MODE_SDB));
    return lc_static_name(&build->code, path, err);
}

static int bigexe_object(const struct lc_build *build, bool whole, struct lc_error *err)
{
    struct lc_bigexe big = lc_build_bigexe_size(build);
    char path[4096];

    snprintf(path, sizeof(path), "%s/bigexe_text.o", build->work);
    return lc_bigexe_object(&big, whole, path, err);
}

int lc_build_bigexe_elf(const struct lc_build *build, struct lc_error *err)
{
    return bigexe_object(build, false, err);
}

/* The linker gold reserves no space in the file for a section without content, and for aarch64 it
 * refuses code without content, so with gold the object holds the whole code. */
int lc_build_bigexe_whole(const struct lc_build *build, const struct lc_argv *link,
                          struct lc_error *err)
{
    return bigexe_object(build, true, err) < 0 ? -1 : lc_run(link, build->work, err);
}

int lc_build_bigexe_fill(const struct lc_build *build, const struct lc_argv *link,
                         struct lc_error *err)
{
    struct lc_bigexe big = lc_build_bigexe_size(build);
    char path[4096];

    snprintf(path, sizeof(path), "%s/%s", build->dir, lc_mode_name(LC_MODE_BIGEXE));
    int rc = lc_bigexe_fill(&big, path, err);
    if (rc == 1 && lc_build_bigexe_whole(build, link, err) == 0)
        rc = lc_bigexe_fill(&big, path, err);
    return rc == 0 ? 0 : -1;
}
