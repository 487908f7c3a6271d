/* SPDX-License-Identifier: MIT */
/* target.c - directories and stormfs mounts */
#include "bench/target.h"

#include <errno.h>
#include <jansson.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "bench/copy.h"
#include "util/path.h"
#include "util/run.h"

/* Maximum length of a target's path; bench adds names of up to 700 bytes. */
enum { LONGEST = 3300 };

/* Sets type and options of the path's mount: the last one in the mount table that contains the
 * path. */
static void find_mount(struct lc_target *t, const char *path)
{
    FILE *table = setmntent("/proc/self/mounts", "r");
    char real[PATH_MAX];
    size_t best = 0;

    if (!table || !realpath(path, real)) {
        if (table)
            endmntent(table);
        return;
    }
    for (struct mntent *m; (m = getmntent(table));) {
        size_t len = strlen(m->mnt_dir);
        if (len < best || !lc_path_is_under(real, m->mnt_dir))
            continue;
        best = len;
        snprintf(t->fs_type, sizeof(t->fs_type), "%s", m->mnt_type);
        snprintf(t->fs_options, sizeof(t->fs_options), "%s", m->mnt_opts);
    }
    endmntent(table);
}

static int open_directory(struct lc_target *t, const char *dir, struct lc_error *err)
{
    char real[PATH_MAX];
    struct stat st;

    if (!realpath(dir, real) || stat(real, &st) < 0)
        return lc_error_errno(err, "target '%s': cannot use '%s'", t->spec->name, dir);
    if (!S_ISDIR(st.st_mode))
        return lc_error_set(err, "target '%s': '%s' is no directory", t->spec->name, dir);
    if (snprintf(t->base, sizeof(t->base), "%s%s", real,
                 t->spec->in_place ? "" : "/loadcast-bench") >= LONGEST)
        return lc_error_set(err, "too long a path for a target: '%s'", dir);
    if (lc_make_dirs(t->base, err) < 0)
        return -1;
    strcpy(t->root, t->base);
    strcpy(t->other, t->base);
    find_mount(t, t->base);
    return 0;
}

/* Two mounts of one stormfs server: one for the ranks, one for the bystander. */
static int make_mount_points(struct lc_target *t, struct lc_error *err)
{
    const char *tmp = getenv("TMPDIR") && *getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
    char dir[PATH_MAX - 64];

    if (snprintf(dir, sizeof(dir), "%s/loadcast-target.XXXXXX", tmp) >= LONGEST)
        return lc_error_set(err, "TMPDIR is too long a path");
    if (!mkdtemp(dir))
        return lc_error_errno(err, "cannot make a mount point in '%s'", tmp);
    snprintf(t->mount, sizeof(t->mount), "%s/fs", dir);
    snprintf(t->other_mount, sizeof(t->other_mount), "%s/other", dir);
    if (mkdir(t->mount, 0755) < 0 || mkdir(t->other_mount, 0755) < 0 || chmod(dir, 0755) < 0)
        return lc_error_errno(err, "cannot make a mount point in '%s'", dir);
    snprintf(t->root, sizeof(t->root), "%.3500s/loadcast-bench", t->mount);
    snprintf(t->other, sizeof(t->other), "%.3500s/loadcast-bench", t->other_mount);
    return 0;
}

static int open_storm(struct lc_target *t, const char *work, struct lc_error *err)
{
    char source[PATH_MAX];

    if (!t->programs->stormfs[0])
        return lc_error_set(err, "target '%s': stormfs is not installed (it needs libfuse3)",
                            t->spec->name);
    if (t->spec->path)
        snprintf(source, sizeof(source), "%s", t->spec->path);
    else if (snprintf(source, sizeof(source), "%s/stormfs", work) >= LONGEST)
        return lc_error_set(err, "too long a path: '%s'", work);
    if (lc_make_dirs(source, err) < 0 || open_directory(t, source, err) < 0 ||
        make_mount_points(t, err) < 0)
        return -1;
    return lc_target_mount(t, err);
}

int lc_target_open(struct lc_target *t, const struct lc_suite_target *spec,
                   const struct lc_programs *programs, const char *work, struct lc_error *err)
{
    *t = (struct lc_target){.spec = spec, .programs = programs};
    int rc = spec->stormfs ? open_storm(t, work, err) : open_directory(t, spec->path, err);
    if (rc < 0)
        lc_target_close(t);
    return rc;
}

void lc_target_close(struct lc_target *t)
{
    struct lc_error ignored;

    lc_target_unmount(t, &ignored);
    if (!t->mount[0])
        return;
    rmdir(t->mount);
    rmdir(t->other_mount);
    t->mount[lc_path_dir_len(t->mount)] = '\0';
    rmdir(t->mount);
    t->mount[0] = '\0';
}

int lc_target_mount(struct lc_target *t, struct lc_error *err)
{
    struct lc_argv argv = {0};
    const struct lc_suite_storm *storm = t->spec->stormfs;

    if (!storm)
        return 0;
    if (lc_target_unmount(t, err) < 0)
        return -1;
    lc_argv_add(&argv, t->programs->stormfs);
    lc_argv_printf(&argv, "--until-pid=%d", (int)getpid());
    if (storm->profile)
        lc_argv_printf(&argv, "--profile=%s", storm->profile);
    if (storm->scale)
        lc_argv_printf(&argv, "--scale=%ld", *storm->scale);
    lc_argv_add(&argv, "--once=" LC_TARGET_ONCE);
    if (storm->options)
        lc_argv_words(&argv, storm->options);
    lc_argv_printf(&argv, "%.*s", (int)lc_path_dir_len(t->base), t->base);
    lc_argv_add(&argv, t->mount);
    lc_argv_add(&argv, t->other_mount);
    int rc = lc_run(&argv, NULL, err);
    lc_argv_free(&argv);
    t->is_mounted = rc == 0;
    if (rc == 0)
        find_mount(t, t->mount);
    return rc;
}

static int stormfs_control(const struct lc_target *t, const char *words, struct lc_buf *out,
                           struct lc_error *err)
{
    struct lc_argv argv = {0};

    lc_argv_add(&argv, t->programs->stormfs);
    lc_argv_add(&argv, "ctl");
    lc_argv_add(&argv, t->mount);
    lc_argv_words(&argv, words);
    int rc = out ? lc_run_output(&argv, out, err) : lc_run(&argv, NULL, err);
    lc_argv_free(&argv);
    return rc;
}

int lc_target_unmount(struct lc_target *t, struct lc_error *err)
{
    if (!t->is_mounted)
        return 0;
    t->is_mounted = false;
    return stormfs_control(t, "stop", NULL, err);
}

int lc_target_reset(const struct lc_target *t, struct lc_error *err)
{
    return stormfs_control(t, "reset", NULL, err);
}

int lc_target_counts(const struct lc_target *t, struct lc_target_counts *counts,
                     struct lc_error *err)
{
    struct lc_buf text = {0};
    json_t *all = NULL;
    json_int_t requests = 0;

    *counts = (struct lc_target_counts){0};
    if (stormfs_control(t, "stats --json", &text, err) == 0)
        all = json_loads(lc_buf_text(&text), 0, NULL);
    lc_buf_free(&text);
    int rc = json_unpack(all, "{s:{s:I, s:F, s:F, s:{s:F}}}", "server", "requests", &requests,
                         "busy_s", &counts->busy_s, "service_us", &counts->service_us, "once",
                         "busy_all_scaled_s", &counts->busy_all_scaled_s);
    counts->requests = (uint64_t)requests;
    json_decref(all);
    return rc < 0 ? lc_error_set(err, "target '%s': stormfs gave no statistics", t->spec->name) : 0;
}

int lc_target_bystander(const struct lc_target *t, double *median_s, double *p95_s,
                        struct lc_error *err)
{
    struct lc_buf text = {0};
    json_t *all = NULL;
    int rc = -1;

    if (stormfs_control(t, "stats --json", &text, err) == 0)
        all = json_loads(lc_buf_text(&text), 0, NULL);
    lc_buf_free(&text);
    rc = json_unpack(json_array_get(json_object_get(all, "mounts"), 1), "{s:{s:F, s:F}}",
                     "server_time_s", "median", median_s, "p95", p95_s);
    json_decref(all);
    return rc < 0 ? lc_error_set(err, "target '%s': stormfs gave no statistics", t->spec->name) : 0;
}

int lc_target_exists(const struct lc_target *t, struct lc_error *err)
{
    struct stat st;

    if (stat(t->root, &st) == 0)
        return 0;
    return lc_error_errno(err, "target '%s' has vanished: cannot stat '%s'", t->spec->name,
                          t->root);
}
