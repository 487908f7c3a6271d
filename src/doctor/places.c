/* SPDX-License-Identifier: MIT */
/* places.c - directories for outputs and staged images, and the input that each run gets */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "doctor/doctor_private.h"
#include "stage/owned.h"
#include "stage/place.h"
#include "util/io.h"
#include "util/path.h"

static int own_dir_make(struct lc_doctor *d, struct lc_error *err)
{
    const char *tmp = getenv("TMPDIR");

    snprintf(d->own_dir, sizeof(d->own_dir), "%.3900s/loadcast-doctor.XXXXXX",
             tmp && tmp[0] == '/' ? tmp : "/tmp");
    if (mkdtemp(d->own_dir))
        return 0;
    lc_error_errno(err, "cannot make a directory '%s'", d->own_dir);
    d->own_dir[0] = '\0';
    return -1;
}

/* A directory of our own, so that images that jobs have staged are neither used nor disturbed. */
static int memory_make(struct lc_doctor *d, struct lc_error *err)
{
    struct lc_stage_places all;
    int rc = lc_error_set(err, "no directory can hold staged images; 'loadcast doctor' tells more");

    lc_session_dir_sweep(d->dir, NULL, NULL);
    lc_stage_places_begin(&all, d->dir, false);
    for (struct lc_stage_place *place; rc < 0 && (place = lc_stage_places_next(&all));)
        rc = place->usable ? lc_session_dir_make(&d->memory, place->path, err)
                           : lc_error_set(err, "%s", place->why.text);
    lc_stage_places_end(&all);
    return rc;
}

/* Copy standard input to a file until it ends; the runs share that. */
static int input_copy(struct lc_doctor *d, struct lc_error *err)
{
    char bytes[65536];
    struct pollfd ready = {.fd = STDIN_FILENO, .events = POLLIN};
    ssize_t n = -1;
    int fd = open(d->input, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    while (fd >= 0 && poll(&ready, 1, (int)(d->limit_s * 1000)) > 0 &&
           (n = read(STDIN_FILENO, bytes, sizeof(bytes))) > 0)
        if (lc_write_all(fd, bytes, (size_t)n) < 0)
            break;
    int rc = n == 0 ? 0 : -1;
    if (rc < 0)
        lc_error_set(err, "standard input did not end, and each run needs all of it; give it as a "
                          "file, or </dev/null");
    if (fd >= 0)
        close(fd);
    return rc;
}

/* A terminal is not read: runs would share what is typed. */
static int input_find(struct lc_doctor *d, struct lc_error *err)
{
    struct stat st;

    snprintf(d->input, sizeof(d->input), "/dev/null");
    if (fstat(STDIN_FILENO, &st) < 0 || S_ISCHR(st.st_mode))
        return 0;
    if (snprintf(d->input, sizeof(d->input), "%s/input", d->own_dir) >= (int)sizeof(d->input)) {
        errno = ENAMETOOLONG;
        return lc_error_errno(err, "cannot use '%s'", d->own_dir);
    }
    return input_copy(d, err);
}

int lc_doctor_make_places(struct lc_doctor *d, struct lc_error *err)
{
    return own_dir_make(d, err) < 0 || memory_make(d, err) < 0 || input_find(d, err) < 0 ? -1 : 0;
}

static int is_ours(const struct dirent *entry)
{
    return strncmp(entry->d_name, "loadcast-", strlen("loadcast-")) == 0;
}

static int is_watched(const struct dirent *entry)
{
    return strncmp(entry->d_name, "loadcast-watch.", strlen("loadcast-watch.")) == 0;
}

void lc_doctor_clean_memory(const struct lc_doctor *d)
{
    struct dirent **names = NULL;
    int count = scandirat(d->memory.lock, ".", &names, is_ours, alphasort);

    for (int i = 0; i < count; i++) {
        lc_owned_remove(d->memory.lock, names[i]->d_name);
        free(names[i]);
    }
    free(names);
}

bool lc_doctor_has_watcher(const struct lc_doctor *d)
{
    struct dirent **names = NULL;
    int count = scandirat(d->memory.lock, ".", &names, is_watched, alphasort);

    for (int i = 0; i < count; i++)
        free(names[i]);
    free(names);
    return count > 0;
}

/* Remove the directory 'path' with everything in it. */
static void tree_remove(const char *path)
{
    struct lc_error ignored;
    char above[PATH_MAX];
    size_t n = lc_path_dir_len(path);

    if (n == 0)
        return;
    snprintf(above, sizeof(above), "%.*s", (int)n, path);
    int at = open(above, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int fd = at < 0 ? -1 : lc_owned_open(at, lc_path_base(path), false, path, &ignored);
    if (fd >= 0) {
        close(fd);
        lc_owned_remove(at, lc_path_base(path));
    }
    if (at >= 0)
        close(at);
}

void lc_doctor_remove_places(struct lc_doctor *d)
{
    if (d->memory.path[0]) {
        lc_doctor_clean_memory(d);
        tree_remove(d->memory.path);
        close(d->memory.lock);
        d->memory.path[0] = '\0';
    }
    if (d->own_dir[0])
        tree_remove(d->own_dir);
    d->own_dir[0] = '\0';
}
