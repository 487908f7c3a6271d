/* SPDX-License-Identifier: MIT */
/* stage.c - put an image into this node's memory, once per node */
#include "stage/stage.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image/image.h"
#include "stage/clean.h"
#include "stage/delta_source.h"
#include "stage/fill.h"
#include "stage/fit.h"
#include "stage/lock.h"
#include "stage/owned.h"
#include "stage/place.h"
#include "stage/readable_image.h"
#include "stage/user_dir.h"
#include "stage/users.h"
#include "util/clock.h"
#include "util/json.h"

enum { TRIES = 20 }; /* to find the user's directory while others remove it */

/* Everything one call needs. */
struct staging {
    const char *file;
    const struct lc_stage_options *how;
    struct lc_image *image; /* opened when something is to be staged */
    uint64_t id;
    char name[LC_NODEDIR_NAME];
    struct lc_nodedir *node;
    struct lc_stage_report *did;
    struct lc_error *err;
    /* the place that is being tried: */
    const struct lc_stage_place *place;
    char user_path[LC_USER_DIR_LEN];
    int user;
};

static int user_dir_open(struct staging *s, bool make)
{
    return s->user = lc_user_dir_open(s->place, make, s->user_path, s->err);
}

/* Was the directory filled by this build of Loadcast? */
static bool is_of_this_build(const struct lc_nodedir *node, const char *origin)
{
    char *want = lc_fill_objects(origin);
    json_t *about = lc_json_read(openat(node->fd, "about", O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    const char *is = json_string_value(json_object_get(about, "objects"));
    bool same = want && is && strcmp(want, is) == 0;

    json_decref(about);
    free(want);
    return same;
}

/* Use the directory that is there: 0 with the node open and this process registered. */
static int nodedir_use(struct staging *s)
{
    if (lc_nodedir_open(s->node, s->user, s->user_path, s->name, s->err) < 0)
        return -1;
    if (lc_users_register(s->node->fd) == 0 && lc_nodedir_is_current(s->node))
        return 0;
    lc_nodedir_close(s->node);
    errno = ENOENT;
    return lc_error_errno(s->err, "cannot use '%s/%s'", s->user_path, s->name);
}

static int image_open(struct staging *s)
{
    if (s->image)
        return 0;
    uint64_t id = s->id;
    s->image = s->how->image ? s->how->image : lc_readable_image_open(s->file, &id, s->err);
    if (!s->image)
        return -1;
    if (id == s->id)
        return lc_fit_glibc(&s->image->look, s->err);
    errno = EBADMSG;
    return lc_error_set(s->err, "'%s' was replaced just now", s->file);
}

/* Fill a directory under a temporary name, then rename it. */
static int nodedir_fill(struct staging *s, struct lc_fill *fill, const char *temporary)
{
    int rc = lc_stage_place_has_room(s->place, fill->bytes, fill->files, s->err);

    if (rc == 0)
        rc = fill->fd = lc_owned_open(s->user, temporary, true, fill->path, s->err);
    if (rc >= 0)
        rc = s->how->fill_files ? s->how->fill_files(s->how->arg, fill, s->err)
                                : lc_fill_files(fill, s->err);
    if (rc == 0)
        rc = lc_fill_parts(fill, s->err);
    if (rc == 0 && s->how->before_publishing)
        rc = s->how->before_publishing(s->how->arg, fill, s->err);
    if (rc == 0 && renameat(s->user, temporary, s->user, s->name) < 0)
        rc = lc_error_errno(s->err, "cannot publish '%s/%s'", s->user_path, s->name);
    int saved = errno;
    if (fill->fd >= 0)
        close(fill->fd);
    if (rc < 0)
        lc_owned_remove(s->user, temporary);
    errno = saved;
    return rc < 0 ? -1 : 0;
}

static int nodedir_make(struct staging *s, struct lc_stage_lock *lock)
{
    char temporary[LC_NODEDIR_NAME + 32];
    uint64_t start = lc_clock_ns();

    if (image_open(s) < 0)
        return -1;
    struct lc_delta_sources *sources = lc_delta_sources_find(s->user, s->user_path, s->name);
    struct lc_fill fill = {
        .image = s->image,
        .path = s->user_path,
        .fd = -1,
        .only_libs = s->how->only_libs,
        .no_exec = s->place->no_exec,
        .page_bytes = (uint64_t)sysconf(_SC_PAGESIZE),
        .origin = s->how->origin,
        .lock = lock,
        .streamed = s->how->fill_files,
        .sources = sources,
        .id = s->id,
        .began_ns = start,
    };
    snprintf(temporary, sizeof(temporary), ".%s.stage.%ld", s->name, (long)getpid());
    int rc = lc_fill_plan(&fill);
    rc = rc < 0 ? lc_error_errno(s->err, "cannot stage '%s'", s->file)
                : nodedir_fill(s, &fill, temporary);
    s->did->fresh = rc == 0;
    s->did->files = fill.files;
    s->did->bytes = fill.bytes;
    s->did->copied = fill.copied;
    s->did->is_memory = s->place->is_memory;
    s->did->seconds = (double)(lc_clock_ns() - start) / 1e9;
    int saved = errno;
    lc_delta_sources_free(sources);
    lc_fill_end(&fill);
    errno = saved;
    return rc;
}

static struct lc_users users_count(const struct staging *s)
{
    char path[LC_USER_DIR_LEN + LC_NODEDIR_NAME];
    int fd = openat(s->user, s->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (fd < 0)
        return (struct lc_users){0};
    snprintf(path, sizeof(path), "%s/%s", s->user_path, s->name);
    struct lc_users users = lc_users_count(fd, path);
    close(fd);
    return users;
}

/* As nodedir_use, if it was staged by this build, or if other processes use it. */
static int nodedir_use_good(struct staging *s)
{
    if (nodedir_use(s) < 0)
        return -1;
    if (is_of_this_build(s->node, s->how->origin) || users_count(s).processes > 0)
        return 0;
    lc_nodedir_close(s->node);
    errno = ENOENT;
    return lc_error_set(s->err, "'%s/%s' is of another build", s->user_path, s->name);
}

static bool is_stopped(const struct staging *s)
{
    return s->how->is_stopped && s->how->is_stopped();
}

static bool wait_is_over(void *arg)
{
    return is_stopped(arg) || nodedir_use_good(arg) == 0;
}

/* Remove a directory that cannot be used, unless a process uses it. Its lock is held. */
static int nodedir_remove(struct staging *s)
{
    struct lc_users users = users_count(s);

    if (users.processes > 0) {
        errno = EBUSY;
        return lc_error_set(s->err, "'%s/%s' is damaged and in use by process %ld", s->user_path,
                            s->name, (long)users.one);
    }
    if (lc_clean_remove(s->user, s->user_path, s->name) < 0)
        return lc_error_errno(s->err, "cannot remove '%s/%s'", s->user_path, s->name);
    lc_clean_leftovers(s->user, s->name);
    return 0;
}

static int stage_under_lock(struct staging *s, struct lc_stage_lock *lock)
{
    if (nodedir_use_good(s) == 0)
        return 0;
    if (errno == EPERM || nodedir_remove(s) < 0 || nodedir_make(s, lock) < 0)
        return -1;
    s->did->stale = lc_clean_user(s->user, s->user_path, LC_CLEAN_STALE, s->name, NULL, NULL);
    return nodedir_use(s);
}

/* Open the user's directory and take the lock in it. Whoever cleans removes that directory when it
 * is empty: then it is made again. */
static int lock_take(struct staging *s, struct lc_stage_lock *lock, const char *lock_name)
{
    int rc = -1;

    *lock = (struct lc_stage_lock){.fd = -1};
    for (int i = 0; i < TRIES; i++) {
        if (user_dir_open(s, true) < 0)
            return -1;
        rc = lc_stage_lock_take(lock, s->user, lock_name, s->how->patience_s, s->how->most_s,
                                wait_is_over, s);
        if (rc >= 0 || errno != ENOENT)
            break;
        if (i < TRIES - 1)
            close(s->user);
        errno = ENOENT;
    }
    return rc;
}

static void fail_waited(struct staging *s)
{
    const struct lc_stage_options *how = s->how;

    if (how->most_s > 0)
        lc_error_set(s->err, "another process has been staging to '%s' for more than %g s",
                     s->user_path, how->most_s);
    else
        lc_error_set(s->err, "another process stages to '%s' and has done nothing for %g s",
                     s->user_path, how->patience_s);
}

static int stage_in_place(struct staging *s)
{
    char lock_name[64];
    struct lc_stage_lock lock;

    lc_clean_lock_name(lock_name, sizeof(lock_name), s->name);
    int rc = lock_take(s, &lock, lock_name);
    if (rc < 0 && s->user < 0)
        return -1;
    if (rc < 0 && errno == ETIMEDOUT)
        fail_waited(s);
    else if (rc < 0)
        lc_error_errno(s->err, "cannot lock '%s/%s'", s->user_path, lock_name);
    else if (rc == 0)
        rc = stage_under_lock(s, &lock);
    else if (s->node->fd < 0)
        rc = (errno = EINTR, lc_error_errno(s->err, "cannot stage '%s'", s->file));
    int saved = errno;
    lc_stage_lock_release(&lock);
    close(s->user);
    errno = saved;
    return rc < 0 ? -1 : 0;
}

/* Use it if it is there already: then nothing is locked, and only this process is registered. */
static int find_in_place(struct staging *s)
{
    if (user_dir_open(s, false) < 0)
        return -1;
    int rc = nodedir_use_good(s), saved = errno;
    close(s->user);
    errno = saved;
    return rc;
}

/* Is it worth trying the next place after this errno? */
static bool errno_is_of_place(int code)
{
    return code != EBADMSG && code != ETIMEDOUT && code != EINTR;
}

static int find_anywhere(struct staging *s, struct lc_stage_places *all)
{
    for (struct lc_stage_place *place; (place = lc_stage_places_next(all));) {
        s->place = place;
        if (place->usable && find_in_place(s) == 0)
            return 0;
    }
    return -1;
}

static int stage_in_any(struct staging *s, struct lc_stage_places *all)
{
    struct lc_error first = {"no usable directory; try --dir"};
    int code = ENOENT, tried = 0;

    for (struct lc_stage_place *place; (place = lc_stage_places_next(all)); tried++) {
        s->place = place;
        if (place->usable && stage_in_place(s) == 0)
            return 0;
        bool fatal = place->usable && !errno_is_of_place(errno);
        if (tried == 0 || fatal) {
            code = place->usable ? errno : ENOENT;
            first = place->usable ? *s->err : place->why;
        }
        if (fatal)
            break;
    }
    *s->err = first;
    errno = code;
    return -1;
}

static int try_places(struct staging *s)
{
    struct lc_stage_places all;

    lc_stage_places_begin(&all, s->how->dir, s->how->must_exec);
    int rc = find_anywhere(s, &all) == 0 ? 0 : stage_in_any(s, &all), saved = errno;
    lc_stage_places_end(&all);
    errno = saved;
    return rc;
}

static int stage_anywhere(struct staging *s)
{
    s->id = s->how->id == 0 && s->how->image ? lc_look_id(&s->how->image->look) : s->how->id;
    if (s->id == 0 && lc_image_id(s->file, &s->id, s->err) < 0)
        return -1;
    lc_nodedir_name(s->name, s->id, s->how->only_libs);
    return try_places(s);
}

int lc_stage(const char *image, const struct lc_stage_options *how, struct lc_nodedir *node,
             struct lc_stage_report *did, struct lc_error *err)
{
    struct staging s = {
        .file = image, .how = how, .node = node, .did = did, .err = err, .user = -1};

    *node = (struct lc_nodedir){.user = -1, .fd = -1};
    *did = (struct lc_stage_report){0};
    /* The user's umask and limit on file sizes must not apply here, but to the program afterwards.
     */
    mode_t mask = umask(077);
    void (*over_limit)(int) = signal(SIGXFSZ, SIG_IGN);
    int rc = stage_anywhere(&s), saved = errno;
    signal(SIGXFSZ, over_limit);
    umask(mask);
    if (s.image != how->image)
        lc_image_close(s.image);
    errno = saved;
    return rc;
}
