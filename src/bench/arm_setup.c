/* SPDX-License-Identifier: MIT */
/* arm_setup.c - the list of arms, and what they have in common */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/arm_ops.h"
#include "bench/edit.h"
#include "launch/width.h"
#include "util/clock.h"

const struct lc_arm_ops *const lc_arms[] = {
    &lc_arm_plain,   &lc_arm_copy, &lc_arm_squashfs, &lc_arm_loadcast, &lc_arm_loadcast_libs,
    &lc_arm_spindle, NULL};

const struct lc_arm_ops *lc_arm_ops_find(const char *name)
{
    for (size_t i = 0; lc_arms[i]; i++)
        if (strcmp(lc_arms[i]->name, name) == 0)
            return lc_arms[i];
    return NULL;
}

static int plain_program(const struct lc_arm_setup *setup, struct lc_rank_program *program,
                         struct lc_error *err)
{
    return lc_case_program(setup->c, setup->c->target->root, program, err);
}

static void plain_memory(const struct lc_arm_setup *setup, struct lc_argv *words)
{
    lc_argv_printf(words, "cached:%s/%s", setup->c->target->root, setup->c->place);
}

const struct lc_arm_ops lc_arm_plain = {
    .name = "plain", .program = plain_program, .memory = plain_memory};

static int setup_prepare(struct lc_arm_setup *setup, struct lc_error *err)
{
    if (lc_target_mount(setup->c->target, err) < 0) /* see the staged files, not cached old ones */
        return -1;
    uint64_t start = lc_clock_ns();
    int rc = setup->ops->prepare(setup, err);
    setup->prepare_s = (double)(lc_clock_ns() - start) / 1e9;
    return rc;
}

int lc_arm_setup_open(struct lc_arm_setup *setup, const struct lc_arm_ops *ops,
                      const struct lc_case *c, const char *work, struct lc_error *err)
{
    *setup =
        (struct lc_arm_setup){.ops = ops, .c = c, .work = work, .prepare_s = NAN, .edit_s = NAN};
    if (!ops->prepare)
        return 0;
    int rc = setup_prepare(setup, err);
    if (rc < 0 || !*c->suite->count || !lc_edit_measure(setup))
        return rc;
    lc_arm_setup_close(setup);
    return setup_prepare(setup, err);
}

void lc_arm_setup_close(struct lc_arm_setup *setup)
{
    if (setup->ops && setup->ops->close)
        setup->ops->close(setup);
    setup->own = NULL;
}

int lc_arm_setup_begin(struct lc_arm_setup *setup, const struct lc_arm_job *job,
                       struct lc_arm_times *times, struct lc_error *err)
{
    *times = (struct lc_arm_times){NAN, NAN};
    return setup->ops->begin ? setup->ops->begin(setup, job, times, err) : 0;
}

int lc_arm_setup_end(struct lc_arm_setup *setup, struct lc_error *err)
{
    return setup->ops->end ? setup->ops->end(setup, err) : 0;
}

int lc_arm_job_line(const struct lc_arm_job *job, const char *command, struct lc_argv *line,
                    struct lc_error *err)
{
    struct lc_argv words = {0};

    if (strcmp(job->launcher, "plain") == 0)
        return 0;
    lc_argv_add(&words, command);
    int rc = lc_width_line(job->launcher, job->width.ranks, job->width.nodes, &words, line, err);
    lc_argv_free(&words);
    return rc;
}

int lc_arm_memory_make(struct lc_session_dir *dir, struct lc_error *err)
{
    const char *memory = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";

    if (getenv("LOADCAST_DIR") && *getenv("LOADCAST_DIR"))
        memory = getenv("LOADCAST_DIR");
    lc_session_dir_sweep(memory, NULL, NULL);
    return lc_session_dir_make(dir, memory, err);
}

static bool is_writable(const char *dir)
{
    struct lc_error ignored;

    return lc_make_dirs(dir, &ignored) == 0 && access(dir, W_OK) == 0;
}

/* The directory is made before anything is recorded: made later, it would change a recorded one. */
int lc_arm_file_place(const struct lc_arm_setup *setup, const char *suffix, char *file, char *seen,
                      struct lc_error *err)
{
    const struct lc_case *c = setup->c;
    char name[600], dir[PATH_MAX];

    snprintf(name, sizeof(name), "%.150s-%.150s%s", c->place[0] ? c->place : c->spec->name,
             lc_case_mode(c), suffix);
    for (char *p = name; *p; p++)
        if (*p == '/' || *p == ' ')
            *p = '_';
    const char *below = c->target->spec->in_place ? "loadcast-bench/images" : "images";
    snprintf(dir, sizeof(dir), "%.3400s/%s", c->target->base, below);
    if (is_writable(dir)) {
        snprintf(file, PATH_MAX, "%.3450s/%s", dir, name);
        snprintf(seen, PATH_MAX, "%.3400s/%s/%s", c->target->root, below, name);
        return 0;
    }
    if (snprintf(dir, sizeof(dir), "%s/images", setup->work) >= 3400)
        return lc_error_set(err, "too long a path: '%s'", setup->work);
    snprintf(file, PATH_MAX, "%.3450s/%s", dir, name);
    snprintf(seen, PATH_MAX, "%s", file);
    return lc_make_dirs(dir, err);
}
