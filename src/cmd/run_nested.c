/* SPDX-License-Identifier: MIT */
/* run_nested.c - launchers that the program of the line starts itself, such as a script with srun
 * in it: they are found in a directory before its PATH (launch/shims) and go through 'loadcast run'
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/run.h"
#include "image/image.h"
#include "node/audit_fit.h"
#include "node/format.h"
#include "util/own_path.h"
#include "util/path.h"

#define RUN     "LOADCAST_RUN"         /* this loadcast */
#define OPTIONS "LOADCAST_RUN_OPTIONS" /* words for it, none with a blank */
#define SHIMS   "LOADCAST_SHIMS"       /* the directory before PATH */

static const char *const launchers[] = {"srun", "mpiexec", "mpirun"};
enum { LAUNCHERS = sizeof(launchers) / sizeof(*launchers) };

static bool ends_with(const char *text, const char *tail)
{
    size_t a = strlen(text), b = strlen(tail);

    return a > b && strcmp(text + a - b, tail) == 0;
}

static bool is_client(const char *item)
{
    return strstr(item, "/loadcast-") &&
           (ends_with(item, LC_NODE_AUDIT) || ends_with(item, LC_NODE_PRELOAD));
}

static bool is_shims(const char *item)
{
    const char *shims = getenv(SHIMS);

    return shims && strcmp(item, shims) == 0;
}

/* The variable without the items that are ours; others stay as they are. */
static void drop_items(const char *name, const char *separators, bool (*is_ours)(const char *))
{
    const char *old = getenv(name);
    struct lc_buf kept = {0};
    bool any = false, dropped = false;

    for (const char *at = old; at; at = *at ? at + 1 : NULL) {
        size_t n = strcspn(at, separators);
        char *item = strndup(at, n);
        bool ours = item && is_ours(item);
        if (!ours && any)
            lc_buf_putc(&kept, at > old ? at[-1] : ':');
        if (!ours)
            lc_buf_add(&kept, at, n);
        any |= !ours;
        dropped |= ours;
        free(item);
        at += n;
    }
    if (dropped && !kept.failed)
        any ? setenv(name, lc_buf_text(&kept), 1) : unsetenv(name);
    lc_buf_free(&kept);
}

void lc_run_leave_outer(void)
{
    drop_items("LD_AUDIT", ":", is_client);
    drop_items("LD_PRELOAD", ": ", is_client);
    drop_items("GLIBC_TUNABLES", ":", lc_fit_is_our_room);
    drop_items("PATH", ":", is_shims);
    unsetenv(LC_NODE_VARIABLE);
    unsetenv(RUN);
    unsetenv(OPTIONS);
    unsetenv(SHIMS);
}

/* Is it there? Where the image knows that it is not, the disk is not asked. */
static bool is_program(const struct lc_image *image, const char *path, struct lc_walk *walk)
{
    if (path[0] == '/' &&
        lc_look_walk(&image->look, path, strlen(path), 0, walk).answer == LC_ANSWER_ABSENT)
        return false;
    return access(path, X_OK) == 0;
}

static bool is_in_path(const struct lc_image *image, const char *name, struct lc_walk *walk)
{
    char path[PATH_MAX];

    for (const char *dir = getenv("PATH"); dir; dir = lc_path_list_next(dir)) {
        int len = (int)strcspn(dir, ":");
        int n = snprintf(path, sizeof(path), "%.*s/%s", len ? len : 1, len ? dir : ".", name);
        if (n < (int)sizeof(path) && is_program(image, path, walk))
            return true;
    }
    return false;
}

/* The PATH is longer only where there is something to stand before. */
static bool has_launcher(const struct lc_run *run)
{
    struct lc_walk *walk = malloc(sizeof(*walk));
    struct lc_image *image = walk ? lc_image_open(run->use, NULL) : NULL;
    bool is_any = false;

    for (int i = 0; image && !is_any && i < LAUNCHERS; i++)
        is_any = is_in_path(image, launchers[i], walk);
    lc_image_close(image);
    free(walk);
    return is_any;
}

/* A launcher that is not known here must not find itself. */
static bool is_launcher(const char *program)
{
    for (int i = 0; i < LAUNCHERS; i++)
        if (strcmp(lc_path_base(program), launchers[i]) == 0)
            return true;
    return false;
}

static void add_options(const struct lc_run *run, struct lc_argv *out)
{
    struct lc_buf words = {0};

    lc_buf_printf(&words, OPTIONS "=--wait=%gs --via=%s %s", run->cast.patience_s,
                  lc_via_name(run->cast.via), run->flags);
    lc_argv_add(out, lc_buf_text(&words));
    out->failed |= words.failed;
    lc_buf_free(&words);
}

void lc_run_add_shims(const struct lc_run *run, const char *dir, struct lc_argv *out)
{
    const char *path = getenv("PATH");
    char shims[PATH_MAX + 16], front[PATH_MAX], image[PATH_MAX];
    struct lc_error err;

    snprintf(shims, sizeof(shims), "%s/shims", run->origin);
    if (run->line.launcher != LC_LAUNCHER_NONE || is_launcher(run->argv[0]) || !path || !*path ||
        strchr(shims, ':') || access(shims, X_OK) < 0 || !has_launcher(run) ||
        lc_own_front(front, &err) < 0 || !realpath(run->image, image))
        return;
    lc_argv_printf(out, "LOADCAST_IMAGE=%s", image);
    lc_argv_printf(out, RUN "=%s", front);
    lc_argv_printf(out, SHIMS "=%s", shims);
    lc_argv_printf(out, "PATH=%s:%s", shims, path);
    add_options(run, out);
    if (dir)
        lc_argv_printf(out, "LOADCAST_DIR=%s", run->cast.dir);
    if (run->cast.helper)
        lc_argv_printf(out, "LOADCAST_STAGE_MPI=%s", run->cast.helper);
}
