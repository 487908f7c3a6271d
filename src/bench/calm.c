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

/* What a row's image is called: one per case and mode. In a directory of their own, made before the
 * pilot: a name that comes later would change a directory that was recorded. */
static int name_image(struct lc_calm *calm, char *real, size_t size, struct lc_error *err)
{
    const struct lc_case *c = calm->c;
    char name[400];

    snprintf(name, sizeof(name), "%.150s-%.150s.lcast", c->place[0] ? c->place : c->spec->name,
             lc_case_mode(c));
    for (char *p = name; *p; p++)
        if (*p == '/' || *p == ' ')
            *p = '_';
    snprintf(real, size, "%.3600s/images", c->target->base);
    if (lc_make_dirs(real, err) < 0)
        return -1;
    snprintf(real, size, "%.3600s/images/%s", c->target->base, name);
    snprintf(calm->image, sizeof(calm->image), "%.3600s/images/%s", c->target->root, name);
    return 0;
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

int lc_calm_record(struct lc_calm *calm, const struct lc_case *c, struct lc_error *err)
{
    const char *memory = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    char real[PATH_MAX];
    struct stat st;

    *calm = (struct lc_calm){.c = c};
    if (getenv("LOADCAST_DIR") && *getenv("LOADCAST_DIR"))
        memory = getenv("LOADCAST_DIR");
    snprintf(calm->dir, sizeof(calm->dir), "%.3900s/loadcast-bench.XXXXXX", memory);
    if (!mkdtemp(calm->dir)) {
        lc_error_errno(err, "cannot make a directory in '%s'", memory);
        calm->dir[0] = '\0';
        return -1;
    }
    if (name_image(calm, real, sizeof(real), err) < 0)
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
    lc_argv_add(argv, calm->dir);
    lc_argv_add(argv, calm->use);
    lc_argv_words(argv, "-- printenv LOADCAST_NODE");
}

int lc_calm_stage(struct lc_calm *calm, const struct lc_argv *line, double *seconds,
                  struct lc_error *err)
{
    struct lc_argv argv = {0};
    struct lc_buf out = {0};
    uint64_t start = lc_clock_ns();

    lc_argv_free(&calm->line);
    for (size_t i = 0; line && i < line->count; i++)
        lc_argv_add(&calm->line, line->item[i]);
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

int lc_calm_forget(struct lc_calm *calm, struct lc_error *err)
{
    struct lc_argv argv = {0};

    if (!calm->node[0])
        return 0;
    calm->node[0] = '\0';
    lc_argv_add(&argv, calm->c->programs->loadcast);
    if (calm->line.count > 0) {
        lc_argv_words(&argv, "stage -q --clean");
        lc_argv_add(&argv, calm->use);
        add_line(&argv, &calm->line);
    } else {
        lc_argv_words(&argv, "clean --all -q --dir");
        lc_argv_add(&argv, calm->dir);
    }
    int rc = lc_run(&argv, NULL, err);
    lc_argv_free(&argv);
    lc_argv_free(&calm->line);
    return rc;
}

void lc_calm_close(struct lc_calm *calm)
{
    struct lc_error ignored;

    if (!calm->dir[0])
        return;
    lc_calm_forget(calm, &ignored);
    lc_remove_tree(calm->dir, &ignored);
    calm->dir[0] = '\0';
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
