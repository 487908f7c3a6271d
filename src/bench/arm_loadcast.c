/* SPDX-License-Identifier: MIT */
/* arm_loadcast.c - the arms loadcast and loadcast-libs: record, check and stage an image
 *
 * A cold run of a launch line is started as users start theirs, by 'loadcast run': that decides who
 * stages. Otherwise the image is checked and staged before the line: so that it stays for the next
 * (warm) run, for plain processes, and for libraries only. */
#include "bench/arm_loadcast.h"

#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/traced.h"
#include "launch/width.h"
#include "stage/users.h"
#include "util/clock.h"

enum { PILOT_RANKS = 2 }; /* one alone would not load what MPI talks to its neighbours by */

static void argv_add_record(const struct lc_loadcast_arm *loadcast, const char *real,
                            const struct lc_rank_program *program, struct lc_argv *argv)
{
    lc_argv_add(argv, loadcast->c->programs->loadcast);
    lc_argv_words(argv, "record -o");
    lc_argv_add(argv, real);
    lc_argv_add(argv, "--manage");
    lc_argv_add(argv, loadcast->c->target->root);
    lc_argv_add(argv, "--");
    lc_program_words(program, argv);
}

/* What a launcher starts is recorded under it: without one MPI loads other plugins, and symbol
 * bindings are replayed only among the objects that were loaded in the recording. */
static int pilot_line(const struct lc_loadcast_arm *loadcast, const struct lc_argv *record,
                      struct lc_argv *line, struct lc_error *err)
{
    const struct lc_case *c = loadcast->c;
    const char *launcher = lc_width_resolve(c->spec->launcher, c->needs_mpi);

    if (strcmp(launcher, "plain") == 0)
        return lc_argv_add_all(line, record->item), 0;
    return lc_width_line(launcher, PILOT_RANKS, 1, record, line, err);
}

static int run_pilot(struct lc_loadcast_arm *loadcast, const char *real, struct lc_error *err)
{
    struct lc_rank_program p;
    struct lc_argv record = {0}, line = {0};
    struct lc_error why;

    if (lc_case_program(loadcast->c, loadcast->c->target->root, &p, err) < 0)
        return -1;
    argv_add_record(loadcast, real, &p, &record);
    const char *dir = p.dir[0] ? p.dir : NULL;
    int rc = pilot_line(loadcast, &record, &line, &why);
    if (rc == 0)
        rc = lc_run(&line, dir, &why);
    if (rc < 0 && line.count > record.count && access(real, R_OK) < 0)
        rc = lc_run(&record, dir, &why); /* no launcher here may start two: one process will do */
    if (rc < 0)
        lc_error_set(err, "cannot record '%s' on target '%s': %s", loadcast->c->spec->name,
                     loadcast->c->target->spec->name, why.text);
    lc_argv_free(&record);
    lc_argv_free(&line);
    lc_rank_program_free(&p);
    return rc;
}

/* Makes the private directory in memory and starts its guard; removes those of dead benches first.
 */
static int memory_dir_make(struct lc_loadcast_arm *loadcast, struct lc_error *err)
{
    if (lc_arm_memory_make(&loadcast->own, err) < 0)
        return -1;
    lc_memory_guard_begin(&loadcast->guard, &loadcast->own);
    return 0;
}

static int arm_prepare(struct lc_arm_setup *setup, bool only_libs, struct lc_error *err)
{
    struct lc_loadcast_arm *loadcast = setup->own = calloc(1, sizeof(*loadcast));
    struct stat st;

    if (!loadcast)
        return lc_error_set(err, "out of memory");
    loadcast->c = setup->c;
    loadcast->only_libs = only_libs;
    if (memory_dir_make(loadcast, err) < 0 ||
        lc_arm_file_place(setup, only_libs ? "-libs.lcast" : ".lcast", loadcast->file,
                          loadcast->image, err) < 0)
        return -1;
    snprintf(loadcast->use, sizeof(loadcast->use), "%s", loadcast->image);
    unlink(loadcast->file);
    if (run_pilot(loadcast, loadcast->file, err) < 0)
        return -1;
    if (stat(loadcast->file, &st) < 0)
        return lc_error_errno(err, "no image of '%s' was written", setup->c->spec->name);
    setup->bytes = (uint64_t)st.st_size;
    return 0;
}

static int loadcast_prepare(struct lc_arm_setup *setup, struct lc_error *err)
{
    return arm_prepare(setup, false, err);
}

static int libs_prepare(struct lc_arm_setup *setup, struct lc_error *err)
{
    return arm_prepare(setup, true, err);
}

/* Checks the image as 'loadcast run' does; loadcast->use becomes the image or overlay that is up to
 * date. */
static int image_check(struct lc_loadcast_arm *loadcast, double *seconds, struct lc_error *err)
{
    struct lc_argv argv = {0};
    struct lc_buf out = {0};
    const char *use;
    uint64_t start = lc_clock_ns();

    lc_argv_add(&argv, loadcast->c->programs->loadcast);
    lc_argv_words(&argv, "check --json --overlay-if-large");
    lc_argv_printf(&argv, "%s.overlay-bench", loadcast->image);
    lc_argv_add(&argv, loadcast->image);
    int rc = lc_run_output_quiet(&argv, &out, err);
    *seconds = (double)(lc_clock_ns() - start) / 1e9;
    json_t *all = rc == 0 ? json_loads(lc_buf_text(&out), 0, NULL) : NULL;
    if (rc == 0 && json_unpack(all, "{s:s}", "use", &use) < 0)
        rc = lc_error_set(err, "check of '%s' did not say which image to use", loadcast->image);
    if (rc == 0)
        snprintf(loadcast->use, sizeof(loadcast->use), "%s", use[0] ? use : loadcast->image);
    json_decref(all);
    lc_buf_free(&out);
    lc_argv_free(&argv);
    return rc;
}

static void argv_add_line(struct lc_argv *argv, const struct lc_argv *line)
{
    lc_argv_add(argv, "--");
    for (size_t i = 0; i < line->count; i++)
        lc_argv_add(argv, line->item[i]);
}

/* The command that stages the image and prints the node directory. */
static void argv_add_stage(const struct lc_loadcast_arm *loadcast, struct lc_argv *argv)
{
    lc_argv_add(argv, loadcast->c->programs->loadcast);
    if (loadcast->line.count > 0) {
        lc_argv_words(argv, loadcast->only_libs ? "stage -q --only libs" : "stage -q");
        lc_argv_add(argv, loadcast->use);
        argv_add_line(argv, &loadcast->line);
        return;
    }
    lc_argv_words(argv, loadcast->only_libs ? "exec -q --strict --no-check --only libs --dir"
                                            : "exec -q --strict --no-check --dir");
    lc_argv_add(argv, loadcast->own.path);
    lc_argv_add(argv, loadcast->use);
    lc_argv_words(argv, "-- printenv LOADCAST_NODE");
}

/* The command that removes the image from memory. */
static void argv_add_unstage(const struct lc_loadcast_arm *loadcast, struct lc_argv *argv)
{
    lc_argv_add(argv, loadcast->c->programs->loadcast);
    if (loadcast->line.count > 0) {
        lc_argv_words(argv,
                      loadcast->only_libs ? "stage -q --clean --only libs" : "stage -q --clean");
        lc_argv_add(argv, loadcast->use);
        argv_add_line(argv, &loadcast->line);
    } else {
        lc_argv_words(argv, "clean --all -q --dir");
        lc_argv_add(argv, loadcast->own.path);
    }
}

/* Gives the guard the clean-up command, in case bench is killed. */
static void guard_set_command(const struct lc_loadcast_arm *loadcast)
{
    struct lc_argv argv = {0};

    argv_add_unstage(loadcast, &argv);
    lc_memory_guard_set_command(&loadcast->guard, &argv);
    lc_argv_free(&argv);
}

/* Makes bench a user of the node directory on this node, or no longer: between two runs no rank
 * uses it, and a 'clean' of the same user would remove it. */
static void node_use(const struct lc_loadcast_arm *loadcast, bool is_used)
{
    int fd = open(loadcast->node, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (fd < 0)
        return; /* this host is not one of the job's */
    if (is_used)
        lc_users_register(fd);
    else
        lc_users_leave(fd);
    close(fd);
}

/* Stages the image to all nodes of the launch line (empty: this node). */
static int image_stage(struct lc_loadcast_arm *loadcast, const struct lc_argv *line,
                       double *seconds, struct lc_error *err)
{
    struct lc_argv argv = {0};
    struct lc_buf out = {0};

    lc_argv_free(&loadcast->line);
    for (size_t i = 0; line && i < line->count; i++)
        lc_argv_add(&loadcast->line, line->item[i]);
    guard_set_command(loadcast);
    uint64_t start = lc_clock_ns();
    argv_add_stage(loadcast, &argv);
    int rc = lc_run_output_quiet(&argv, &out, err);
    *seconds = (double)(lc_clock_ns() - start) / 1e9;
    if (rc == 0) {
        snprintf(loadcast->node, sizeof(loadcast->node), "%.*s",
                 (int)strcspn(lc_buf_text(&out), "\n"), lc_buf_text(&out));
        node_use(loadcast, true);
    }
    lc_argv_free(&argv);
    lc_buf_free(&out);
    return rc;
}

int lc_loadcast_arm_stage_here(const struct lc_loadcast_arm *loadcast, struct lc_loadcast_arm *here,
                               struct lc_error *err)
{
    double seconds;

    *here = (struct lc_loadcast_arm){
        .c = loadcast->c, .own = loadcast->own, .only_libs = loadcast->only_libs};
    snprintf(here->use, sizeof(here->use), "%s", loadcast->use);
    return image_stage(here, NULL, &seconds, err);
}

int lc_loadcast_arm_unstage(struct lc_loadcast_arm *loadcast, struct lc_error *err)
{
    struct lc_argv argv = {0};

    if (!loadcast || !loadcast->node[0])
        return 0;
    node_use(loadcast, false);
    loadcast->node[0] = '\0';
    argv_add_unstage(loadcast, &argv);
    int rc = lc_run(&argv, NULL, err);
    lc_argv_free(&argv);
    lc_argv_free(&loadcast->line);
    if (rc == 0)
        lc_memory_guard_set_command(&loadcast->guard, NULL);
    return rc;
}

/* What changed since the recording is found, and added, by the check. */
static int arm_update(struct lc_arm_setup *setup, struct lc_error *err)
{
    struct lc_loadcast_arm *loadcast = setup->own;
    double seconds;
    int rc = image_check(loadcast, &seconds, err);

    if (rc == 0 && strcmp(loadcast->use, loadcast->image) != 0)
        unlink(loadcast->use); /* the overlay is of no use once the edit is undone */
    return rc;
}

static void arm_memory(const struct lc_arm_setup *setup, struct lc_argv *words)
{
    const struct lc_loadcast_arm *loadcast = setup->own;

    lc_argv_printf(words, "held:%s", loadcast->node);
    if (loadcast->only_libs)
        lc_argv_printf(words, "cached:%s/%s", setup->c->target->root, setup->c->place);
}

/* Inside a scheduler's job 'loadcast run' leaves the image for later runs of that job. */
static void run_clean(struct lc_loadcast_arm *loadcast)
{
    struct lc_argv argv = {0};
    struct lc_error ignored;

    if (getenv("SLURM_JOB_ID")) {
        argv_add_unstage(loadcast, &argv);
        lc_run(&argv, NULL, &ignored); /* nothing may be there */
    }
    lc_argv_free(&argv);
    lc_argv_free(&loadcast->line);
    loadcast->is_run = false;
}

static int arm_end(struct lc_arm_setup *setup, struct lc_error *err)
{
    struct lc_loadcast_arm *loadcast = setup->own;

    if (loadcast && loadcast->is_run)
        return run_clean(loadcast), 0;
    return lc_loadcast_arm_unstage(loadcast, err);
}

static void arm_close(struct lc_arm_setup *setup)
{
    struct lc_loadcast_arm *loadcast = setup->own;
    struct lc_error ignored;

    if (loadcast && loadcast->own.path[0]) {
        arm_end(setup, &ignored);
        lc_remove_tree(loadcast->own.path, &ignored);
        lc_memory_guard_end(&loadcast->guard);
        close(loadcast->own.lock);
    }
    free(loadcast);
}

int lc_loadcast_arm_wrap(const struct lc_loadcast_arm *loadcast, struct lc_rank_program *program,
                         struct lc_error *err)
{
    struct lc_argv argv = {0};

    lc_argv_printf(&argv, "%s/bin/launch", loadcast->node);
    lc_argv_printf(&program->variable, "LOADCAST_NODE=%s", loadcast->node);
    for (size_t i = 0; i < program->argv.count; i++)
        lc_argv_add(&argv, program->argv.item[i]);
    lc_argv_free(&program->argv);
    program->argv = argv;
    return argv.failed || program->variable.failed ? lc_error_set(err, "out of memory") : 0;
}

static int arm_begin(struct lc_arm_setup *setup, const struct lc_arm_job *job,
                     struct lc_arm_times *times, struct lc_error *err)
{
    struct lc_loadcast_arm *loadcast = setup->own;
    struct lc_argv line = {0};

    if (job->is_single && !loadcast->only_libs && !loadcast->node[0] &&
        strcmp(job->launcher, "plain") != 0) {
        loadcast->is_run = true;
        lc_argv_free(&loadcast->line);
        return lc_arm_job_line(job, "true", &loadcast->line, err);
    }
    loadcast->is_run = false;
    if (image_check(loadcast, &times->check_s, err) < 0)
        return -1;
    times->stage_s = 0;
    if (loadcast->node[0])
        return 0;
    int rc = lc_arm_job_line(job, "true", &line, err);
    if (rc == 0)
        rc = image_stage(loadcast, &line, &times->stage_s, err);
    lc_argv_free(&line);
    return rc;
}

static int arm_program(const struct lc_arm_setup *setup, struct lc_rank_program *program,
                       struct lc_error *err)
{
    const struct lc_loadcast_arm *loadcast = setup->own;
    int rc = lc_case_program(setup->c, setup->c->target->root, program, err);

    return rc < 0 || loadcast->is_run ? rc : lc_loadcast_arm_wrap(loadcast, program, err);
}

static void arm_prefix(const struct lc_arm_setup *setup, struct lc_argv *words)
{
    const struct lc_loadcast_arm *loadcast = setup->own;

    if (!loadcast->is_run)
        return;
    lc_argv_add(words, loadcast->c->programs->loadcast);
    lc_argv_words(words, "run -q --strict --no-learn --image");
    lc_argv_add(words, loadcast->image);
    lc_argv_add(words, "--");
}

const struct lc_arm_ops lc_arm_loadcast = {
    .name = "loadcast",
    .prepared = "recorded",
    .prepare = loadcast_prepare,
    .close = arm_close,
    .update = arm_update,
    .begin = arm_begin,
    .end = arm_end,
    .program = arm_program,
    .prefix = arm_prefix,
    .memory = arm_memory,
};

const struct lc_arm_ops lc_arm_loadcast_libs = {
    .name = "loadcast-libs",
    .prepared = "recorded",
    .prepare = libs_prepare,
    .close = arm_close,
    .update = arm_update,
    .begin = arm_begin,
    .end = arm_end,
    .program = arm_program,
    .prefix = arm_prefix,
    .memory = arm_memory,
};

struct lc_loadcast_arm *lc_loadcast_of(const struct lc_arm_setup *setup)
{
    return setup->ops->prepare == loadcast_prepare || setup->ops->prepare == libs_prepare
               ? setup->own
               : NULL;
}
