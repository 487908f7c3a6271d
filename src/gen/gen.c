/* SPDX-License-Identifier: MIT */
/* gen.c - make a workload directory, step by step */
#include "gen/gen.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "gen/build.h"
#include "gen/elf_facts.h"
#include "gen/name.h"
#include "gen/pool.h"
#include "gen/tree.h"
#include "util/human.h"

/* State of one run; closed in lc_gen(). */
struct run {
    const struct lc_gen_options *options;
    struct lc_gen_result *result;
    struct lc_output_tree tree;
    struct lc_tools tools;
    struct lc_gen_config config;
    struct lc_model model;
    struct lc_build build;
};

static void output_plan(struct run *r)
{
    const struct lc_gen_config *c = &r->options->config;
    static const char *const always[] = {"libmodulebegin.so",        "libmodulefinal.so",
                                         "pynamic_driver.py",        "manifest.json",
                                         "pynamic_driver_mpi4py.py", "pynamic_fractal.bmp"};

    for (long i = 0; i < c->files - c->utilities; i++)
        lc_output_tree_plan(&r->tree, "libmodule%ld.so", i);
    for (long i = 0; i < c->utilities; i++)
        lc_output_tree_plan(&r->tree, "libutility%ld.so", i);
    for (size_t i = 0; i < sizeof(always) / sizeof(*always); i++)
        lc_output_tree_plan(&r->tree, "%s", always[i]);
    for (int i = 0; i < LC_MODES; i++)
        if (i != LC_MODE_MPI4PY)
            lc_output_tree_plan(&r->tree, "%s", lc_mode_name(i));
    long dirs = c->search_dirs > c->python_dirs ? c->search_dirs : c->python_dirs;
    if (dirs)
        lc_output_tree_plan(&r->tree, "search/");
    for (long i = 0; i < dirs; i++)
        lc_output_tree_plan(&r->tree, "search/%ld/", i);
    if (r->options->keep_sources)
        lc_output_tree_plan(&r->tree, LC_TREE_KEPT "/");
}

/* Modes whose tools are missing are left out, with the reason. */
static void modes_choose(struct run *r)
{
    unsigned modes = r->options->modes;

    if (r->options->bigexe_bytes < 1)
        modes &= ~(1u << LC_MODE_BIGEXE);
    for (int i = 0; i < LC_MODES; i++) {
        if (!(modes & 1u << i))
            continue;
        if (lc_mode_needs_python(i) && r->tools.no_python.text[0])
            r->result->why[i] = r->tools.no_python;
        else if (lc_mode_needs_mpi(i) && r->tools.no_mpi.text[0])
            r->result->why[i] = r->tools.no_mpi;
        if (r->result->why[i].text[0])
            modes &= ~(1u << i);
    }
    r->build.modes = r->result->modes = modes;
}

/* A cautious estimate: never more than what will really be written. */
static double least_bytes(const struct run *r)
{
    const struct lc_gen_config *c = &r->config;
    double functions = (double)(c->files - c->utilities) * (double)c->module_avg +
                       (double)c->utilities * (double)c->utility_avg;
    double libraries = functions * (250.0 + 2 * (double)c->name_pad);

    if (r->build.modes & 1u << LC_MODE_BIGEXE)
        libraries += r->options->bigexe_bytes;
    return libraries * (r->build.modes & 1u << LC_MODE_SDB ? 2 : 1);
}

static int space_check(struct run *r, struct lc_error *err)
{
    struct statvfs fs;

    if (statvfs(r->tree.dir, &fs) < 0)
        return 0;
    double free_bytes = (double)fs.f_bavail * (double)fs.f_frsize, need = least_bytes(r);
    if (need <= free_bytes)
        return 0;
    return lc_error_set(err, "no space for this in '%s': it takes at least %s, %s are free",
                        r->tree.dir, lc_human_bytes((uint64_t)need).s,
                        lc_human_bytes((uint64_t)free_bytes).s);
}

static int model_open(struct run *r, struct lc_error *err)
{
    lc_model_close(&r->model);
    if (lc_model_open(&r->model, &r->config) < 0)
        return lc_error_errno(err, "cannot make the model");
    return 0;
}

/* Choose the averages for --total-size, with stubs and trial libraries in a scratch directory.
 * Debug information counts only where a preset says so. */
static int fit_total_size(struct run *r, struct lc_error *err)
{
    struct lc_gen_options plain = *r->options;
    struct lc_build trial = r->build;
    char work[4096];

    if (r->options->total_bytes < 1)
        return 0;
    snprintf(work, sizeof(work), "%s/fit", r->tree.work);
    if (mkdir(work, 0777) < 0)
        return lc_error_errno(err, "cannot make '%s'", work);
    plain.debug_info &= plain.debug_counts;
    trial.options = &plain;
    trial.work = trial.dir = work;
    trial.modes = 0;
    if ((!r->options->machine && lc_build_stubs(&trial, err) < 0) ||
        lc_build_fit_total_size(&trial, &r->config, err) < 0 || lc_gen_check(&r->config, err) < 0)
        return -1;
    r->result->config = r->config;
    return model_open(r, err);
}

/* The compiler's temporary files go to the work directory, and are removed with it. */
static void use_own_tmpdir(const char *work)
{
    char *path = realpath(work, NULL);

    if (path)
        setenv("TMPDIR", path, 1);
    free(path);
}

static int tools_find(struct run *r, struct lc_error *err)
{
    struct lc_tools_wish wish = r->options->wish;

    for (int i = 0; i < LC_MODES; i++) {
        wish.needs_mpi |= (r->options->modes & 1u << i) && lc_mode_needs_mpi(i);
        wish.needs_python |= (r->options->modes & 1u << i) && lc_mode_needs_python(i);
    }
    wish.needs_cc = !r->options->machine || r->options->modes & ~(1u << LC_MODE_MPI4PY);
    return lc_tools_open(&r->tools, &wish, r->tree.work, err);
}

static void static_mode_drop(struct run *r)
{
    const unsigned sdb = 1u << LC_MODE_SDB;

    if (!(r->build.modes & sdb) || lc_build_fits_program(&r->build))
        return;
    lc_error_set(&r->result->why[LC_MODE_SDB],
                 "the code of all libraries is too large for one program");
    r->build.modes = r->result->modes = r->build.modes & ~sdb;
}

static int build_prepare(struct run *r, struct lc_error *err)
{
    const struct lc_gen_options *o = r->options;

    r->build = (struct lc_build){.options = o,
                                 .model = &r->model,
                                 .tools = &r->tools,
                                 .dir = r->tree.dir,
                                 .work = r->tree.work};
    use_own_tmpdir(r->tree.work);
    if (tools_find(r, err) < 0)
        return -1;
    modes_choose(r);
    if (model_open(r, err) < 0 || fit_total_size(r, err) < 0)
        return -1;
    static_mode_drop(r);
    if (space_check(r, err) < 0)
        return -1;
    return lc_build_compute_expected(&r->build, err);
}

static void debug_count(struct run *r, const char *path)
{
    struct lc_elf_facts facts = {0};

    if (r->options->debug_info && lc_elf_facts_add(path, &facts, NULL) == 0)
        r->result->debug_bytes += facts.part[LC_ELF_DEBUG];
}

static void bytes_count(struct run *r)
{
    struct stat st;
    char path[4096];

    for (size_t i = 0; i < lc_model_libs(&r->model); i++) {
        snprintf(path, sizeof(path), "%s/%s.so", r->tree.dir,
                 lc_name_lib(lc_model_lib(&r->model, i)).s);
        if (stat(path, &st) == 0)
            r->result->library_bytes += (uint64_t)st.st_size;
        debug_count(r, path);
        r->result->functions += r->model.functions[i];
    }
}

/* A full disk shows in many ways (an error of the compiler, or its death), so check the disk
 * itself. */
static void explain_full_disk(const struct run *r, struct lc_error *err)
{
    struct statvfs fs;
    struct lc_error why = *err;
    bool full = strstr(why.text, "No space left") || strstr(why.text, "Disk quota");

    if (!full && statvfs(r->tree.dir, &fs) == 0)
        full = (double)fs.f_bavail * (double)fs.f_frsize < 1e6;
    if (full)
        lc_error_set(err, "disk full: %.900s; the partial output was removed", why.text);
}

static int build_in_tree(struct run *r, struct lc_error *err)
{
    int rc = build_prepare(r, err);

    if (rc == 0)
        rc = lc_build_all(&r->build, err);
    if (rc == 0)
        rc = lc_build_drivers(&r->build, err);
    if (rc == 0)
        rc = lc_build_manifest(&r->build, err);
    if (rc == 0 && lc_pool_signal())
        rc = lc_error_set(err, "interrupted");
    r->result->signal = lc_pool_signal();
    if (rc < 0) {
        explain_full_disk(r, err);
        lc_output_tree_undo(&r->tree);
        return -1;
    }
    bytes_count(r);
    return lc_output_tree_finish(&r->tree, r->options->keep_sources, err);
}

int lc_gen(const struct lc_gen_options *options, struct lc_gen_result *result, struct lc_error *err)
{
    struct run r = {.options = options, .result = result, .config = options->config};

    *result = (struct lc_gen_result){.config = options->config};
    if (lc_gen_check(&options->config, err) < 0)
        return -1;
    lc_pool_hold_signals();
    int rc = lc_output_tree_open(&r.tree, options->out, err);
    if (rc == 0)
        output_plan(&r);
    if (rc == 0)
        rc = lc_output_tree_begin(&r.tree, options->force, options->beside, err);
    if (rc == 0)
        rc = build_in_tree(&r, err);
    lc_build_free(&r.build);
    lc_model_close(&r.model);
    lc_tools_close(&r.tools);
    lc_output_tree_close(&r.tree);
    return rc;
}
