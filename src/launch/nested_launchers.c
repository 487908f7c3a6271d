/* SPDX-License-Identifier: MIT */
/* nested_launchers.c - launchers that the program of the line starts itself, such as a script with
 * srun in it: they are found in a directory before its PATH (launch/shims) and go through 'loadcast
 * run'
 */
#include "launch/job_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "image/image.h"
#include "node/audit_fit.h"
#include "node/format.h"
#include "util/own_path.h"
#include "util/path.h"

#define RUN     "LOADCAST_RUN"         /* path of this loadcast */
#define OPTIONS "LOADCAST_RUN_OPTIONS" /* options for it; none has a blank in it */
#define SHIMS   "LOADCAST_SHIMS"       /* the directory before PATH */

static const char *const launchers[] = {"srun", "mpiexec", "mpirun"};
enum { LAUNCHERS = sizeof(launchers) / sizeof(*launchers) };

static bool text_ends_with(const char *text, const char *tail)
{
    size_t a = strlen(text), b = strlen(tail);

    return a > b && strcmp(text + a - b, tail) == 0;
}

static bool item_is_client(const char *item)
{
    return strstr(item, "/loadcast-") &&
           (text_ends_with(item, LC_NODE_AUDIT) || text_ends_with(item, LC_NODE_PRELOAD));
}

/* If the directory stayed in PATH, the launcher of the line would be our own stand-in for it. */
bool lc_nested_is_shims(const char *item)
{
    const char *shims = getenv(SHIMS);
    char own[PATH_MAX];
    struct lc_error ignored;

    if ((shims && strcmp(item, shims) == 0) || text_ends_with(item, "/libexec/loadcast/shims"))
        return true;
    size_t n = lc_own_directory(own, &ignored) == 0 ? strlen(own) : 0;
    return n > 0 && strncmp(item, own, n) == 0 && strcmp(item + n, "/shims") == 0;
}

/* Take our items out of a list variable; the others stay as they are. */
static void items_drop(const char *name, const char *separators, bool (*is_ours)(const char *))
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

void lc_nested_leave_outer(void)
{
    items_drop("LD_AUDIT", ":", item_is_client);
    items_drop("LD_PRELOAD", ": ", item_is_client);
    items_drop("GLIBC_TUNABLES", ":", lc_fit_is_our_room);
    items_drop("PATH", ":", lc_nested_is_shims);
    unsetenv(LC_NODE_VARIABLE);
    unsetenv(RUN);
    unsetenv(OPTIONS);
    unsetenv(SHIMS);
}

/* Does the program exist? If the image knows that it does not, the file system is not asked. */
static bool program_exists(const struct lc_image *image, const char *path, struct lc_walk *walk)
{
    if (path[0] == '/' &&
        lc_look_walk(&image->look, path, strlen(path), 0, walk).answer == LC_ANSWER_ABSENT)
        return false;
    return access(path, X_OK) == 0;
}

static bool program_is_in_path(const struct lc_image *image, const char *name, struct lc_walk *walk)
{
    char path[PATH_MAX];

    for (const char *dir = getenv("PATH"); dir; dir = lc_path_list_next(dir)) {
        int len = (int)strcspn(dir, ":");
        int n = snprintf(path, sizeof(path), "%.*s/%s", len ? len : 1, len ? dir : ".", name);
        if (n < (int)sizeof(path) && program_exists(image, path, walk))
            return true;
    }
    return false;
}

/* PATH is changed only if it leads to a launcher. */
static bool path_has_launcher(const struct lc_job_run *run)
{
    struct lc_walk *walk = malloc(sizeof(*walk));
    struct lc_image *image = walk ? lc_image_open(run->use, NULL) : NULL;
    bool is_any = false;

    for (int i = 0; image && !is_any && i < LAUNCHERS; i++)
        is_any = program_is_in_path(image, launchers[i], walk);
    lc_image_close(image);
    free(walk);
    return is_any;
}

/* mpiexec of an unknown MPI is such a program: it must not find our stand-in for itself. */
static bool program_is_launcher(const char *program)
{
    for (int i = 0; i < LAUNCHERS; i++)
        if (strcmp(lc_path_base(program), launchers[i]) == 0)
            return true;
    return false;
}

static void options_add(const struct lc_job_run *run, struct lc_argv *out)
{
    const struct lc_run_options *o = run->options;
    struct lc_buf words = {0};

    lc_buf_printf(&words, OPTIONS "=--wait=%gs --via=%s --wrap=%s%s%s%s%s", run->staging.patience_s,
                  lc_via_names[run->staging.via], lc_wrap_names[o->wrap],
                  o->stats ? " --stats" : "", o->strict ? " --strict" : "",
                  o->keep ? " --keep" : "", o->quiet ? " --quiet" : "");
    lc_argv_add(out, lc_buf_text(&words));
    out->failed |= words.failed;
    lc_buf_free(&words);
}

void lc_nested_add_shims(const struct lc_job_run *run, struct lc_argv *out)
{
    const char *path = getenv("PATH");
    char shims[PATH_MAX + 16], front[PATH_MAX], image[PATH_MAX];
    struct lc_error err;

    snprintf(shims, sizeof(shims), "%s/shims", run->origin);
    if (run->line.launcher != LC_LAUNCHER_NONE || program_is_launcher(run->argv[0]) || !path ||
        !*path || strchr(shims, ':') || access(shims, X_OK) < 0 || !path_has_launcher(run) ||
        lc_own_front(front, &err) < 0 || !realpath(run->image, image))
        return;
    lc_argv_printf(out, "LOADCAST_IMAGE=%s", image);
    lc_argv_printf(out, RUN "=%s", front);
    lc_argv_printf(out, SHIMS "=%s", shims);
    lc_argv_printf(out, "PATH=%s:%s", shims, path);
    options_add(run, out);
    if (run->options->dir)
        lc_argv_printf(out, "LOADCAST_DIR=%s", run->staging.dir);
    if (run->staging.helper)
        lc_argv_printf(out, "LOADCAST_STAGE_MPI=%s", run->staging.helper);
}
