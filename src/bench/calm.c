/* SPDX-License-Identifier: MIT */
/* calm.c - record, check, stage, for the arm with Loadcast */
#include "bench/calm.h"

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

/* What a row's image is called: one per case and mode, in a directory of their own that is made
 * before the pilot: a name that comes later would change a directory that was recorded. A target
 * that cannot be written has its images in the work directory. */
static int name_image(struct lc_calm *calm, const char *work, char *real, size_t size,
                      struct lc_error *err)
{
    const struct lc_case *c = calm->c;
    char name[600], dir[PATH_MAX];

    snprintf(name, sizeof(name), "%.150s-%.150s.lcast", c->place[0] ? c->place : c->spec->name,
             lc_case_mode(c));
    for (char *p = name; *p; p++)
        if (*p == '/' || *p == ' ')
            *p = '_';
    snprintf(dir, sizeof(dir), "%.3400s/images", c->target->base);
    if (is_writable(dir)) {
        snprintf(real, size, "%.3450s/%s", dir, name);
        snprintf(calm->image, sizeof(calm->image), "%.3400s/images/%s", c->target->root, name);
        return 0;
    }
    if (snprintf(dir, sizeof(dir), "%s/images", work) >= 3400)
        return lc_error_set(err, "too long a path: '%s'", work);
    snprintf(real, size, "%.3450s/%s", dir, name);
    snprintf(calm->image, sizeof(calm->image), "%s", real);
    return lc_make_dirs(dir, err);
}

static int run_pilot(struct lc_calm *calm, const char *real, struct lc_error *err)
{
    struct lc_program p;
    struct lc_argv argv = {0};

    if (lc_case_program(calm->c, calm->c->target->root, &p, err) < 0)
        return -1;
    lc_argv_add(&argv, calm->c->programs->loadcast);
    lc_argv_words(&argv, "record -o");
    lc_argv_add(&argv, real);
    lc_argv_add(&argv, "--manage");
    lc_argv_add(&argv, calm->c->target->root);
    lc_argv_add(&argv, "--");
    lc_program_words(&p, &argv);
    struct lc_error why;
    int rc = lc_run(&argv, p.dir[0] ? p.dir : NULL, &why);
    if (rc < 0)
        lc_error_set(err, "cannot record '%s' on target '%s': %s", calm->c->spec->name,
                     calm->c->target->spec->name, why.text);
    lc_argv_free(&argv);
    lc_program_free(&p);
    return rc;
}

/* Its own directory in memory, watched; what dead ones left there goes first. */
static int take_memory(struct lc_calm *calm, struct lc_error *err)
{
    const char *memory = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";

    if (getenv("LOADCAST_DIR") && *getenv("LOADCAST_DIR"))
        memory = getenv("LOADCAST_DIR");
    lc_session_dir_sweep(memory, NULL, NULL);
    if (lc_session_dir_make(&calm->own, memory, err) < 0)
        return -1;
    lc_memory_guard_begin(&calm->guard, &calm->own);
    return 0;
}

int lc_calm_record(struct lc_calm *calm, const struct lc_case *c, const char *work,
                   struct lc_error *err)
{
    char real[PATH_MAX];
    struct stat st;

    *calm = (struct lc_calm){.c = c};
    if (take_memory(calm, err) < 0 || name_image(calm, work, real, sizeof(real), err) < 0)
        return -1;
    unlink(real);
    if (lc_target_mount(c->target, err) < 0) /* the pilot must see what was staged, not a cache */
        return -1;
    uint64_t start = lc_clock_ns();
    if (run_pilot(calm, real, err) < 0)
        return -1;
    calm->record_s = (double)(lc_clock_ns() - start) / 1e9;
    if (stat(real, &st) < 0)
        return lc_error_errno(err, "no image of '%s' was written", c->spec->name);
    calm->image_bytes = (uint64_t)st.st_size;
    return 0;
}

int lc_calm_check(struct lc_calm *calm, double *seconds, struct lc_error *err)
{
    struct lc_argv argv = {0};
    struct lc_buf out = {0};
    const char *use;
    uint64_t start = lc_clock_ns();

    lc_argv_add(&argv, calm->c->programs->loadcast);
    lc_argv_words(&argv, "check --json");
    lc_argv_add(&argv, calm->image);
    int rc = lc_run_both(&argv, &out, err);
    *seconds = (double)(lc_clock_ns() - start) / 1e9;
    json_t *all = rc == 0 ? json_loads(lc_buf_text(&out), 0, NULL) : NULL;
    if (rc == 0 && json_unpack(all, "{s:s}", "use", &use) < 0)
        rc = lc_error_set(err, "check of '%s' did not say which image to use", calm->image);
    if (rc == 0)
        snprintf(calm->use, sizeof(calm->use), "%s", use[0] ? use : calm->image);
    json_decref(all);
    lc_buf_free(&out);
    lc_argv_free(&argv);
    return rc;
}

static void add_line(struct lc_argv *argv, const struct lc_argv *line)
{
    lc_argv_add(argv, "--");
    for (size_t i = 0; i < line->count; i++)
        lc_argv_add(argv, line->item[i]);
}

/* The words that stage and print the node directory. */
static void add_stage(const struct lc_calm *calm, struct lc_argv *argv)
{
    lc_argv_add(argv, calm->c->programs->loadcast);
    if (calm->line.count > 0) {
        lc_argv_words(argv, "stage -q");
        lc_argv_add(argv, calm->use);
        add_line(argv, &calm->line);
        return;
    }
    lc_argv_words(argv, "exec -q --strict --dir");
    lc_argv_add(argv, calm->own.path);
    lc_argv_add(argv, calm->use);
    lc_argv_words(argv, "-- printenv LOADCAST_NODE");
}

/* The words that take it out of memory. */
static void add_forget(const struct lc_calm *calm, struct lc_argv *argv)
{
    lc_argv_add(argv, calm->c->programs->loadcast);
    if (calm->line.count > 0) {
        lc_argv_words(argv, "stage -q --clean");
        lc_argv_add(argv, calm->use);
        add_line(argv, &calm->line);
    } else {
        lc_argv_words(argv, "clean --all -q --dir");
        lc_argv_add(argv, calm->own.path);
    }
}

/* If bench dies from now on, somebody else runs them. */
static void tell_guard(const struct lc_calm *calm)
{
    struct lc_argv argv = {0};

    add_forget(calm, &argv);
    lc_memory_guard_tell(&calm->guard, &argv);
    lc_argv_free(&argv);
}

int lc_calm_stage(struct lc_calm *calm, const struct lc_argv *line, double *seconds,
                  struct lc_error *err)
{
    struct lc_argv argv = {0};
    struct lc_buf out = {0};

    lc_argv_free(&calm->line);
    for (size_t i = 0; line && i < line->count; i++)
        lc_argv_add(&calm->line, line->item[i]);
    tell_guard(calm);
    uint64_t start = lc_clock_ns();
    add_stage(calm, &argv);
    int rc = lc_run_both(&argv, &out, err);
    *seconds = (double)(lc_clock_ns() - start) / 1e9;
    if (rc == 0)
        snprintf(calm->node, sizeof(calm->node), "%.*s", (int)strcspn(lc_buf_text(&out), "\n"),
                 lc_buf_text(&out));
    lc_argv_free(&argv);
    lc_buf_free(&out);
    return rc;
}

int lc_calm_stage_here(const struct lc_calm *calm, struct lc_calm *here, struct lc_error *err)
{
    double seconds;

    *here = (struct lc_calm){.c = calm->c, .own = calm->own};
    snprintf(here->use, sizeof(here->use), "%s", calm->use);
    return lc_calm_stage(here, NULL, &seconds, err);
}

int lc_calm_forget(struct lc_calm *calm, struct lc_error *err)
{
    struct lc_argv argv = {0};

    if (!calm->node[0])
        return 0;
    calm->node[0] = '\0';
    add_forget(calm, &argv);
    int rc = lc_run(&argv, NULL, err);
    lc_argv_free(&argv);
    lc_argv_free(&calm->line);
    if (rc == 0)
        lc_memory_guard_tell(&calm->guard, NULL);
    return rc;
}

void lc_calm_close(struct lc_calm *calm)
{
    struct lc_error ignored;

    if (!calm->own.path[0])
        return;
    lc_calm_forget(calm, &ignored);
    lc_remove_tree(calm->own.path, &ignored);
    lc_memory_guard_end(&calm->guard);
    close(calm->own.lock);
    calm->own.path[0] = '\0';
}

int lc_calm_wrap(const struct lc_calm *calm, struct lc_program *program, struct lc_error *err)
{
    struct lc_argv argv = {0};

    lc_argv_printf(&argv, "%s/bin/launch", calm->node);
    lc_argv_printf(&program->variable, "LOADCAST_NODE=%s", calm->node);
    for (size_t i = 0; i < program->argv.count; i++)
        lc_argv_add(&argv, program->argv.item[i]);
    lc_argv_free(&program->argv);
    program->argv = argv;
    return argv.failed || program->variable.failed ? lc_error_set(err, "out of memory") : 0;
}
