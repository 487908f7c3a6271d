/* SPDX-License-Identifier: MIT */
/* build_all.c - run the parts of a build in order, in parallel where possible */
#include "gen/build.h"
#include "gen/pool.h"

/* Libraries that gen writes itself take milliseconds each, so one process writes several: it reuses
 * its memory after the first. */
static size_t libs_at_once(const struct lc_build *build)
{
    size_t share = lc_build_libs(build) / (8 * (size_t)build->options->jobs);

    if (!build->options->machine || lc_build_compiles_static(build))
        return 1;
    return share < 1 ? 1 : share > 8 ? 8 : share;
}

static size_t lib_jobs(const struct lc_build *build)
{
    size_t each = libs_at_once(build);

    return (lc_build_libs(build) + each - 1) / each;
}

static int libs_make(const struct lc_build *build, size_t number, struct lc_error *err)
{
    size_t each = libs_at_once(build);

    for (size_t i = number * each, n = 0; n < each && i < lc_build_libs(build); i++, n++)
        if (lc_build_lib(build, i, err) < 0)
            return -1;
    return 0;
}

static size_t one_job(const struct lc_build *build)
{
    (void)build;
    return 1;
}

static int stubs_make(const struct lc_build *build, size_t number, struct lc_error *err)
{
    (void)number;
    return lc_build_stubs(build, err);
}

/* A part of the build: a number of independent jobs. */
struct part {
    size_t (*jobs)(const struct lc_build *build);
    int (*make)(const struct lc_build *build, size_t number, struct lc_error *err);
};

/* Parts that can run at the same time. */
struct step {
    const struct lc_build *build;
    struct part part[3]; /* ends with zeros */
};

static const struct part stubs = {one_job, stubs_make};
static const struct part objects = {lc_build_objects, lc_build_object};
static const struct part libs = {lib_jobs, libs_make};
static const struct part programs = {lc_build_programs, lc_build_program};

static int step_run_job(void *context, size_t number, struct lc_error *err)
{
    const struct step *step = context;
    const struct part *part = step->part;

    for (; number >= part->jobs(step->build); part++)
        number -= part->jobs(step->build);
    return part->make(step->build, number, err);
}

static size_t step_jobs(const struct step *step)
{
    size_t jobs = 0;

    for (const struct part *part = step->part; part->jobs; part++)
        jobs += part->jobs(step->build);
    return jobs;
}

static int run_steps(struct step *step, size_t steps, struct lc_error *err)
{
    size_t all = 0, done = 0;
    struct lc_progress bar;
    int rc = 0;

    for (size_t i = 0; i < steps; i++)
        all += step_jobs(&step[i]);
    lc_progress_begin(&bar, "building", all);
    for (size_t i = 0; rc == 0 && i < steps; i++)
        rc = lc_pool_run(step_run_job, &step[i], step_jobs(&step[i]), step->build->options->jobs,
                         &bar, &done, err);
    lc_progress_end(&bar);
    return rc;
}

/* Compiled libraries need the stubs, and a program may be linked from their objects. Libraries that
 * gen writes itself depend on nothing, so they are written while programs are linked. */
int lc_build_all(struct lc_build *b, struct lc_error *err)
{
    bool compiled = !b->options->machine || lc_build_compiles_static(b);
    bool links = compiled || lc_build_has_programs(b);
    struct step by_compiler[] = {{b, {stubs}}, {b, {objects, libs}}, {b, {programs}}},
                by_gen[] = {{b, {stubs, objects}}, {b, {programs, libs}}}, alone[] = {{b, {libs}}};

    if (links && (lc_build_sources(b, err) < 0 || lc_build_static_open(b, err) < 0))
        return -1;
    return compiled ? run_steps(by_compiler, 3, err)
           : links  ? run_steps(by_gen, 2, err)
                    : run_steps(alone, 1, err);
}
