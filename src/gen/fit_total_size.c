/* SPDX-License-Identifier: MIT */
/* fit_total_size.c - choose the number of functions so that the libraries have a given total size
 *
 * The compiler decides how large a function is, so trial libraries are built. Two sizes of each
 * kind give a linear estimate; a second pair near the result takes page rounding into account. */
#include "gen/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gen/name.h"
#include "gen/pool.h"
#include "util/human.h"

/* Linear estimate of a library's size. */
struct line {
    double bytes_fixed, bytes_per_function;
};

/* Builds the first library of a kind with n functions and measures its size. */
static int library_measure(struct lc_build *build, enum lc_lib_kind kind, uint32_t n, double *bytes,
                           struct lc_error *err)
{
    const struct lc_model *model = build->model;
    size_t number = kind == LC_LIB_MODULE ? 0 : model->modules;
    uint32_t saved = model->functions[number];
    struct stat st;
    char path[4096];

    if (lc_pool_signal())
        return lc_error_set(err, "interrupted");
    model->functions[number] = n;
    int rc = lc_build_lib(build, number, err);
    model->functions[number] = saved;
    snprintf(path, sizeof(path), "%s/%s.so", build->dir,
             lc_name_lib(lc_model_lib(model, number)).s);
    if (rc < 0)
        return -1;
    if (stat(path, &st) < 0)
        return lc_error_errno(err, "cannot measure '%s'", path);
    *bytes = (double)st.st_size;
    unlink(path);
    return 0;
}

static int measure_line(struct lc_build *build, enum lc_lib_kind kind, uint32_t low, uint32_t high,
                        struct line *out, struct lc_error *err)
{
    double a, b;

    if (library_measure(build, kind, low, &a, err) < 0 ||
        library_measure(build, kind, high, &b, err) < 0)
        return -1;
    out->bytes_per_function = (b - a) / (high - low);
    out->bytes_fixed = a - out->bytes_per_function * low;
    return 0;
}

/* Estimated total size of all libraries with the averages of 'config'. */
static double total_predict(const struct lc_gen_config *config, const struct line line[2])
{
    struct lc_model model;
    double sum = 0;

    if (lc_model_open(&model, config) < 0)
        return 0;
    for (size_t i = 0; i < lc_model_libs(&model); i++) {
        const struct line *l = &line[lc_model_lib(&model, i).kind];
        sum += l->bytes_fixed + l->bytes_per_function * model.functions[i];
    }
    lc_model_close(&model);
    return sum;
}

static void config_set_averages(struct lc_gen_config *config, long module_avg, double ratio)
{
    config->module_avg = module_avg;
    if (config->utilities) {
        config->utility_avg = (long)((double)module_avg * ratio + 0.5);
        if (config->utility_avg < 1)
            config->utility_avg = 1;
    }
}

/* Chooses the largest average whose estimate does not exceed 'wish' bytes. */
static void config_choose_averages(struct lc_gen_config *config, double ratio, double wish,
                                   const struct line line[2])
{
    long low = 1, high = LC_MOST_FUNCTIONS;

    while (low < high) {
        long middle = (low + high + 1) / 2;
        config_set_averages(config, middle, ratio);
        if (total_predict(config, line) <= wish)
            low = middle;
        else
            high = middle - 1;
    }
    config_set_averages(config, low, ratio);
}

static int fit_between(struct lc_build *build, struct lc_gen_config *config, const uint32_t at[4],
                       double ratio, struct lc_error *err)
{
    struct line line[2] = {{0}, {0}};

    if (measure_line(build, LC_LIB_MODULE, at[0], at[1], &line[0], err) < 0)
        return -1;
    if (config->utilities && measure_line(build, LC_LIB_UTILITY, at[2], at[3], &line[1], err) < 0)
        return -1;
    config_set_averages(config, 1, ratio);
    double least = total_predict(config, line);
    if (least > build->options->total_bytes * 1.02)
        return lc_error_set(err, "--total-size: %ld libraries take at least %s", config->files,
                            lc_human_bytes((uint64_t)least).s);
    config_choose_averages(config, ratio, build->options->total_bytes, line);
    return 0;
}

/* Repeats the fit with trial libraries and a model of about the right size: what a module imports
 * depends on the number of functions that it can choose from. */
static int fit_refine(struct lc_build *build, struct lc_gen_config *config, double ratio,
                      struct lc_error *err)
{
    const uint32_t near[4] = {
        (uint32_t)config->module_avg / 2 + 1, (uint32_t)config->module_avg * 3 / 2 + 2,
        (uint32_t)config->utility_avg / 2 + 1, (uint32_t)config->utility_avg * 3 / 2 + 2};
    struct lc_model model;
    struct lc_build trial = *build;

    if (lc_model_open(&model, config) < 0)
        return lc_error_errno(err, "cannot make the model");
    trial.model = &model;
    int rc = fit_between(&trial, config, near, ratio, err);
    lc_model_close(&model);
    return rc;
}

int lc_build_fit_total_size(struct lc_build *build, struct lc_gen_config *config,
                            struct lc_error *err)
{
    double ratio = (double)config->utility_avg / (double)config->module_avg;
    const uint32_t at[4] = {16, 400, 16, 400};

    if (fit_between(build, config, at, ratio, err) < 0)
        return -1;
    return fit_refine(build, config, ratio, err);
}
