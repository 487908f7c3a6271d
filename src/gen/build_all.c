/* SPDX-License-Identifier: MIT */
/* build_all.c - the parts of a build in their order, side by side where they can be */
#include "gen/build.h"
#include "gen/pool.h"

/* Libraries that gen writes itself take milliseconds: several in one process, which has its memory
 * at hand after the first. */
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

static int make_libs(const struct lc_build *build, size_t number, struct lc_error *err)
{
    size_t each = libs_at_once(build);

    for (size_t i = number * each, n = 0; n < each && i < lc_build_libs(build); i++, n++)
        if (lc_build_lib(build, i, err) < 0)
            return -1;
    return 0;
}

static size_t one(const struct lc_build *build)
{
    (void)build;
    return 1;
}

static int make_stubs(const struct lc_build *build, size_t number, struct lc_error *err)
{
    (void)number;
    return lc_build_stubs(build, err);
}

/* What can be made at the same time is one heap of jobs. */
struct part {
    size_t (*jobs)(const struct lc_build *build);
    int (*make)(const struct lc_build *build, size_t number, struct lc_error *err);
};

struct heap {
    const struct lc_build *build;
    struct part part[3]; /* ends with zeros */
};

static const struct part stubs = {one, make_stubs};
static const struct part objects = {lc_build_objects, lc_build_object};
static const struct part libs = {lib_jobs, make_libs};
static const struct part programs = {lc_build_programs, lc_build_program};

static int job_of_heap(void *context, size_t number, struct lc_error *err)
{
    const struct heap *heap = context;
    const struct part *part = heap->part;

    for (; number >= part->jobs(heap->build); part++)
        number -= part->jobs(heap->build);
    return part->make(heap->build, number, err);
}

static size_t heap_jobs(const struct heap *heap)
{
    size_t jobs = 0;

    for (const struct part *part = heap->part; part->jobs; part++)
        jobs += part->jobs(heap->build);
    return jobs;
}

static int run_heaps(struct heap *heap, size_t heaps, struct lc_error *err)
{
    size_t all = 0, done = 0;
    struct lc_progress bar;
    int rc = 0;

    for (size_t i = 0; i < heaps; i++)
        all += heap_jobs(&heap[i]);
    lc_progress_begin(&bar, "building", all);
    for (size_t i = 0; rc == 0 && i < heaps; i++)
        rc = lc_pool_run(job_of_heap, &heap[i], heap_jobs(&heap[i]), heap->build->options->jobs,
                         &bar, &done, err);
    lc_progress_end(&bar);
    return rc;
}

/* Compiled libraries need the stubs, and a program may be linked from their objects. Those that gen
 * writes itself need nothing and fill up the time of the links. */
int lc_build_all(struct lc_build *b, struct lc_error *err)
{
    bool compiled = !b->options->machine || lc_build_compiles_static(b);
    bool links = compiled || lc_build_has_programs(b);
    struct heap by_compiler[] = {{b, {stubs}}, {b, {objects, libs}}, {b, {programs}}},
                by_gen[] = {{b, {stubs, objects}}, {b, {programs, libs}}}, alone[] = {{b, {libs}}};

    if (links && (lc_build_sources(b, err) < 0 || lc_build_static_open(b, err) < 0))
        return -1;
    return compiled ? run_heaps(by_compiler, 3, err)
           : links  ? run_heaps(by_gen, 2, err)
                    : run_heaps(alone, 1, err);
}
