/* SPDX-License-Identifier: MIT */
/* loadcast_arm.c - the arm with Loadcast: record, check and stage the image */
#include "bench/loadcast_arm.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/traced.h"
#include "util/clock.h"

static bool is_writable(const char *dir)
{
    struct lc_error ignored;

    return lc_make_dirs(dir, &ignored) == 0 && access(dir, W_OK) == 0;
}

/* Chooses the image's path: one per case and mode, in a directory that is made before the pilot
 * (made later, it would change a recorded directory). If the target is read-only, in the work
 * directory. */
static int choose_image_path(struct lc_loadcast_arm *loadcast, const char *work, char *real,
                             size_t size, struct lc_error *err)
{
    const struct lc_case *c = loadcast->c;
    char name[600], dir[PATH_MAX];

    snprintf(name, sizeof(name), "%.150s-%.150s.lcast", c->place[0] ? c->place : c->spec->name,
             lc_case_mode(c));
    for (char *p = name; *p; p++)
        if (*p == '/' || *p == ' ')
            *p = '_';
    snprintf(dir, sizeof(dir), "%.3400s/images", c->target->base);
    if (is_writable(dir)) {
        snprintf(real, size, "%.3450s/%s", dir, name);
        snprintf(loadcast->image, sizeof(loadcast->image), "%.3400s/images/%s", c->target->root,
                 name);
        return 0;
    }
    if (snprintf(dir, sizeof(dir), "%s/images", work) >= 3400)
        return lc_error_set(err, "too long a path: '%s'", work);
    snprintf(real, size, "%.3450s/%s", dir, name);
    snprintf(loadcast->image, sizeof(loadcast->image), "%s", real);
    return lc_make_dirs(dir, err);
}

static int run_pilot(struct lc_loadcast_arm *loadcast, const char *real, struct lc_error *err)
{
    struct lc_rank_program p;
    struct lc_argv argv = {0};

    if (lc_case_program(loadcast->c, loadcast->c->target->root, &p, err) < 0)
        return -1;
    lc_argv_add(&argv, loadcast->c->programs->loadcast);
    lc_argv_words(&argv, "record -o");
    lc_argv_add(&argv, real);
    lc_argv_add(&argv, "--manage");
    lc_argv_add(&argv, loadcast->c->target->root);
    lc_argv_add(&argv, "--");
    lc_program_words(&p, &argv);
    struct lc_error why;
    int rc = lc_run(&argv, p.dir[0] ? p.dir : NULL, &why);
    if (rc < 0)
        lc_error_set(err, "cannot record '%s' on target '%s': %s", loadcast->c->spec->name,
                     loadcast->c->target->spec->name, why.text);
    lc_argv_free(&argv);
    lc_rank_program_free(&p);
    return rc;
}

/* Makes the private directory in memory and starts its guard; removes those of dead benches first.
 */
static int memory_dir_make(struct lc_loadcast_arm *loadcast, struct lc_error *err)
{
    const char *memory = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";

    if (getenv("LOADCAST_DIR") && *getenv("LOADCAST_DIR"))
        memory = getenv("LOADCAST_DIR");
    lc_session_dir_sweep(memory, NULL, NULL);
    if (lc_session_dir_make(&loadcast->own, memory, err) < 0)
        return -1;
    lc_memory_guard_begin(&loadcast->guard, &loadcast->own);
    return 0;
}

int lc_loadcast_arm_record(struct lc_loadcast_arm *loadcast, const struct lc_case *c,
                           const char *work, struct lc_error *err)
{
    char real[PATH_MAX];
    struct stat st;

    *loadcast = (struct lc_loadcast_arm){.c = c};
    if (memory_dir_make(loadcast, err) < 0 ||
        choose_image_path(loadcast, work, real, sizeof(real), err) < 0)
        return -1;
    unlink(real);
    if (lc_target_mount(c->target, err) <
        0) /* the pilot must see the staged files, not cached old ones */
        return -1;
    uint64_t start = lc_clock_ns();
    if (run_pilot(loadcast, real, err) < 0)
        return -1;
    loadcast->record_s = (double)(lc_clock_ns() - start) / 1e9;
    if (stat(real, &st) < 0)
        return lc_error_errno(err, "no image of '%s' was written", c->spec->name);
    loadcast->image_bytes = (uint64_t)st.st_size;
    return 0;
}

int lc_loadcast_arm_check(struct lc_loadcast_arm *loadcast, double *seconds, struct lc_error *err)
{
    struct lc_argv argv = {0};
    struct lc_buf out = {0};
    const char *use;
    uint64_t start = lc_clock_ns();

    lc_argv_add(&argv, loadcast->c->programs->loadcast);
    lc_argv_words(&argv, "check --json");
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
        lc_argv_words(argv, "stage -q");
        lc_argv_add(argv, loadcast->use);
        argv_add_line(argv, &loadcast->line);
        return;
    }
    lc_argv_words(argv, "exec -q --strict --dir");
    lc_argv_add(argv, loadcast->own.path);
    lc_argv_add(argv, loadcast->use);
    lc_argv_words(argv, "-- printenv LOADCAST_NODE");
}

/* The command that removes the image from memory. */
static void argv_add_unstage(const struct lc_loadcast_arm *loadcast, struct lc_argv *argv)
{
    lc_argv_add(argv, loadcast->c->programs->loadcast);
    if (loadcast->line.count > 0) {
        lc_argv_words(argv, "stage -q --clean");
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

int lc_loadcast_arm_stage(struct lc_loadcast_arm *loadcast, const struct lc_argv *line,
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
    if (rc == 0)
        snprintf(loadcast->node, sizeof(loadcast->node), "%.*s",
                 (int)strcspn(lc_buf_text(&out), "\n"), lc_buf_text(&out));
    lc_argv_free(&argv);
    lc_buf_free(&out);
    return rc;
}

int lc_loadcast_arm_stage_here(const struct lc_loadcast_arm *loadcast, struct lc_loadcast_arm *here,
                               struct lc_error *err)
{
    double seconds;

    *here = (struct lc_loadcast_arm){.c = loadcast->c, .own = loadcast->own};
    snprintf(here->use, sizeof(here->use), "%s", loadcast->use);
    return lc_loadcast_arm_stage(here, NULL, &seconds, err);
}

int lc_loadcast_arm_unstage(struct lc_loadcast_arm *loadcast, struct lc_error *err)
{
    struct lc_argv argv = {0};

    if (!loadcast->node[0])
        return 0;
    loadcast->node[0] = '\0';
    argv_add_unstage(loadcast, &argv);
    int rc = lc_run(&argv, NULL, err);
    lc_argv_free(&argv);
    lc_argv_free(&loadcast->line);
    if (rc == 0)
        lc_memory_guard_set_command(&loadcast->guard, NULL);
    return rc;
}

void lc_loadcast_arm_close(struct lc_loadcast_arm *loadcast)
{
    struct lc_error ignored;

    if (!loadcast->own.path[0])
        return;
    lc_loadcast_arm_unstage(loadcast, &ignored);
    lc_remove_tree(loadcast->own.path, &ignored);
    lc_memory_guard_end(&loadcast->guard);
    close(loadcast->own.lock);
    loadcast->own.path[0] = '\0';
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
