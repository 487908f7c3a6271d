/* SPDX-License-Identifier: MIT */
/* make_cold.c - make the caches cold by the best method available, or refuse */
#include <stdio.h>
#include <string.h>

#include "bench/drop_caches.h"
#include "bench/measure.h"
#include "launch/width.h"

/* Runs the target's cold_command, which drops the caches of all nodes. */
static int cold_by_command(const char *command, struct lc_error *err)
{
    struct lc_argv argv = {0};
    struct lc_error why;

    lc_argv_words(&argv, "sh -c");
    lc_argv_add(&argv, command);
    int rc = lc_run(&argv, NULL, &why);
    lc_argv_free(&argv);
    return rc < 0 ? lc_error_set(err, LC_COLD_REFUSED ": '%s': %s", command, why.text) : 0;
}

/* Drops the caches on all nodes by 'bench-rank cold', which prints the method. */
static int cold_by_launcher(const struct lc_measure_point *p, const char *dir, char *how,
                            size_t size, struct lc_error *err)
{
    struct lc_argv words = {0}, line = {0};
    struct lc_buf said = {0};

    lc_argv_add(&words, p->c->programs->rank);
    lc_argv_add(&words, "cold");
    lc_argv_add(&words, dir);
    int rc = lc_width_line(p->launcher, p->width.ranks, p->width.nodes, &words, &line, err) < 0 ||
                     lc_run_output_quiet(&line, &said, err) < 0
                 ? -1
                 : 0;
    snprintf(how, size, "%.*s", (int)strcspn(lc_buf_text(&said), "\n"), lc_buf_text(&said));
    lc_argv_free(&words);
    lc_argv_free(&line);
    lc_buf_free(&said);
    return rc;
}

int lc_make_cold(const struct lc_measure_point *point, char *how, size_t size, struct lc_error *err)
{
    const struct lc_case *c = point->c;
    char dir[PATH_MAX];

    how[0] = '\0';
    if (!(point->is_cold || point->is_found) || c->spec->kind == LC_CASE_DUMMY)
        return 0;
    if (lc_arm_setup_end(point->setup, err) < 0)
        return -1;
    if (point->is_found)
        return 0; /* each job stages anew, and that is all */
    if (c->target->spec->cold_command) {
        snprintf(how, size, "command");
        return cold_by_command(c->target->spec->cold_command, err);
    }
    if (c->target->spec->stormfs) {
        snprintf(how, size, "fresh mount");
        return lc_target_mount(c->target, err);
    }
    snprintf(dir, sizeof(dir), "%.3500s/%s", c->target->root, c->place);
    if (strcmp(point->launcher, "plain") != 0)
        return cold_by_launcher(point, dir, how, size, err);
    const char *means = lc_drop_caches(dir, err);
    if (means)
        snprintf(how, size, "%s", means);
    return means ? 0 : -1;
}
