/* SPDX-License-Identifier: MIT */
/* manifest.c - write manifest.json: the configuration, libraries and expected results of a workload
 */
#include "gen/build.h"

#include <stdio.h>
#include <stdlib.h>

#include "config.h"
#include "gen/interp.h"
#include "gen/name.h"
#include "gen/operations.h"
#include "util/json.h"

static json_t *describe_config(const struct lc_gen_config *c)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:b, s:b, s:I}", "files",
                     (json_int_t)c->files, "functions", (json_int_t)c->module_avg, "utilities",
                     (json_int_t)c->utilities, "utility_functions", (json_int_t)c->utility_avg,
                     "depth", (json_int_t)c->depth, "name_length", (json_int_t)c->name_pad,
                     "search_dirs", (json_int_t)c->search_dirs, "python_dirs",
                     (json_int_t)c->python_dirs, "extern", c->externs, "print", c->prints, "seed",
                     (json_int_t)c->seed);
}

static json_t *describe_lib(const struct lc_build *build, size_t number)
{
    struct lc_lib lib = lc_model_lib(build->model, number);
    const struct lc_structure s = build->structure[number];
    json_t *out = json_pack("{s:s, s:s, s:i, s:i, s:i, s:i, s:i}", "name", lc_name_lib(lib).s,
                            "kind", lib.kind == LC_LIB_MODULE ? "module" : "utility", "functions",
                            s.functions, "exports", s.exports, "imports", s.imports, "jump_slots",
                            s.jump_slots, "needed", s.needed);
    if (lib.kind == LC_LIB_MODULE)
        json_object_set_new(out, "checksum", json_integer(build->expected[lib.index]));
    return out;
}

static json_t *describe_libs(const struct lc_build *build)
{
    json_t *all = json_array();

    for (size_t i = 0; i < lc_model_libs(build->model); i++)
        if (json_array_append_new(all, describe_lib(build, i)) < 0) {
            json_decref(all);
            return NULL;
        }
    return all;
}

static json_t *describe_modes(const struct lc_build *build)
{
    json_t *all = json_object();

    for (int i = 0; i < LC_MODES; i++)
        if (build->modes & 1u << i)
            json_object_set_new(all, lc_mode_name(i), lc_operations_json(&build->model->config, i));
    return all;
}

/* Contains no time, host or path, so that the same options give the same file. */
int lc_build_manifest(const struct lc_build *build, struct lc_error *err)
{
    json_t *libs = describe_libs(build);
    char path[4096];
    uint64_t sum = 0;

    for (uint32_t i = 0; i < build->model->modules; i++)
        sum += build->expected[i];
    if (!libs)
        return lc_error_set(err, "cannot write the manifest: out of memory");
    json_t *all = json_pack("{s:s, s:i, s:s, s:o, s:I, s:o, s:o}", "format", "loadcast-workload",
                            "format_version", 1, "version", LC_VERSION, "config",
                            describe_config(&build->model->config), "checksum", (json_int_t)sum,
                            "modes", describe_modes(build), "libraries", libs);
    snprintf(path, sizeof(path), "%s/manifest.json", build->dir);
    int rc = lc_json_write(all, path, err);
    json_decref(all);
    return rc;
}
