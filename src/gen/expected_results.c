/* SPDX-License-Identifier: MIT */
/* expected_results.c - compute what every library must return and contain, in parallel */
#include "gen/build.h"

#include <sys/mman.h>

#include "gen/interp.h"
#include "gen/pool.h"

enum { LIBS_AT_ONCE = 8 };

static size_t smaller_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Results are written to memory that is shared with the processes of the jobs. */
static int job_compute(void *context, size_t number, struct lc_error *err)
{
    const struct lc_build *build = context;
    size_t end = smaller_size((number + 1) * LIBS_AT_ONCE, lc_model_libs(build->model));

    for (size_t i = number * LIBS_AT_ONCE; i < end; i++) {
        if (lc_model_structure(build->model, lc_model_lib(build->model, i), &build->structure[i]) <
            0)
            return lc_error_errno(err, "cannot compute results");
        if (i < build->model->modules)
            build->expected[i] = lc_interp_entry(build->model, (uint32_t)i);
    }
    return 0;
}

static size_t expected_bytes(const struct lc_build *build)
{
    return lc_model_libs(build->model) * (sizeof(*build->structure) + sizeof(*build->expected));
}

int lc_build_compute_expected(struct lc_build *build, struct lc_error *err)
{
    size_t libs = lc_model_libs(build->model), done = 0;
    size_t jobs = (libs + LIBS_AT_ONCE - 1) / LIBS_AT_ONCE;
    struct lc_progress bar;
    void *room = mmap(NULL, expected_bytes(build), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (room == MAP_FAILED)
        return lc_error_errno(err, "cannot compute results");
    build->structure = room;
    build->expected = (uint32_t *)(build->structure + libs);
    lc_progress_begin(&bar, "computing results", jobs);
    int rc = lc_pool_run(job_compute, build, jobs, build->options->jobs, &bar, &done, err);
    lc_progress_end(&bar);
    return rc;
}

void lc_build_free(struct lc_build *build)
{
    if (build->structure)
        munmap(build->structure, expected_bytes(build));
    lc_static_close(&build->code);
    build->structure = NULL;
    build->expected = NULL;
}
