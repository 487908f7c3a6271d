/* SPDX-License-Identifier: MIT */
/* stage.c - put an image into this node's memory, once, whoever asks first */
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
    /* the place that is tried */
    const struct lc_stage_place *place;
    char user_path[LC_USER_DIR_LEN];
    int user;
};

static int open_user(struct staging *s, bool make)
{
    return s->user = lc_user_dir_open(s->place, make, s->user_path, s->err);
}

/* Was the directory filled from the objects that belong to this program? */
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

/* Use what stands there: 0 with the node open and this process registered. */
static int use_staged(struct staging *s)
{
    if (lc_nodedir_open(s->node, s->user, s->user_path, s->name, s->err) < 0)
        return -1;
    if (lc_users_register(s->node->fd) == 0 && lc_nodedir_is_current(s->node))
        return 0;
    lc_nodedir_close(s->node);
    errno = ENOENT;
    return lc_error_errno(s->err, "cannot use '%s/%s'", s->user_path, s->name);
}

static int open_image(struct staging *s)
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

/* Fill a directory under a name of its own, then give it its real one. */
static int fill_and_publish(struct staging *s, struct lc_fill *fill, const char *temporary)
{
    int rc = lc_stage_place_has_room(s->place, fill->bytes, fill->files, s->err);

    if (rc == 0)
        rc = fill->fd = lc_owned_open(s->user, temporary, true, fill->path, s->err);
    if (rc >= 0)
        rc = s->how->fill_files ? s->how->fill_files(s->how->arg, fill, s->err)
                                : lc_fill_files(fill, s->err);
    if (rc == 0)
        rc = lc_fill_parts(fill, s->err);
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

static int fill_new(struct staging *s, struct lc_stage_lock *lock)
{
    char temporary[LC_NODEDIR_NAME + 32];
    uint64_t start = lc_clock_ns();

    if (open_image(s) < 0)
        return -1;
    struct lc_delta_sources *sources = lc_delta_sources_find(s->user, s->user_path, s->name);
    struct lc_fill fill = {
        .image = s->image,
        .path = s->user_path,
        .fd = -1,
        .only_libs = s->how->only_libs,
        .no_exec = s->place->no_exec,
        .origin = s->how->origin,
        .lock = lock,
        .streamed = s->how->fill_files,
        .sources = sources,
        .id = s->id,
    };
    snprintf(temporary, sizeof(temporary), ".%s.stage.%ld", s->name, (long)getpid());
    int rc = lc_fill_plan(&fill);
    rc = rc < 0 ? lc_error_errno(s->err, "cannot stage '%s'", s->file)
                : fill_and_publish(s, &fill, temporary);
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

static struct lc_users count_users(const struct staging *s)
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

/* Staged, and by the objects of this build, or others run from it: then it stays as it is. */
static int use_good(struct staging *s)
{
    if (use_staged(s) < 0)
        return -1;
    if (is_of_this_build(s->node, s->how->origin) || count_users(s).processes > 0)
        return 0;
    lc_nodedir_close(s->node);
    errno = ENOENT;
    return lc_error_set(s->err, "'%s/%s' is of another build", s->user_path, s->name);
}

static bool is_staged(void *arg)
{
    return use_good(arg) == 0;
}

/* What stands under the name cannot be used, and we hold its lock: away with it, unless somebody
 * runs from it. */
static int remove_unusable(struct staging *s)
{
    struct lc_users users = count_users(s);

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

static int stage_locked(struct staging *s, struct lc_stage_lock *lock)
{
    if (use_good(s) == 0)
        return 0;
    if (errno == EPERM || remove_unusable(s) < 0 || fill_new(s, lock) < 0)
        return -1;
    s->did->stale = lc_clean_user(s->user, s->user_path, LC_CLEAN_STALE, s->name, NULL, NULL);
    return use_staged(s);
}

static int stage_here(struct staging *s)
{
    char lock_name[64];
    struct lc_stage_lock lock;

    if (open_user(s, true) < 0)
        return -1;
    lc_clean_lock_name(lock_name, sizeof(lock_name), s->name);
    int rc = lc_stage_lock_take(&lock, s->user, lock_name, s->how->patience_s, is_staged, s);
    if (rc < 0 && errno == ETIMEDOUT)
        lc_error_set(s->err, "another process stages to '%s' and has done nothing for %g s",
                     s->user_path, s->how->patience_s);
    else if (rc < 0)
        lc_error_errno(s->err, "cannot lock '%s/%s'", s->user_path, lock_name);
    else if (rc == 0)
        rc = stage_locked(s, &lock);
    int saved = errno;
    lc_stage_lock_release(&lock);
    close(s->user);
    errno = saved;
    return rc < 0 ? -1 : 0;
}

/* Is it there already? Then nothing is locked or written but this process's name. */
static int find_here(struct staging *s)
{
    if (open_user(s, false) < 0)
        return -1;
    int rc = use_good(s), saved = errno;
    close(s->user);
    errno = saved;
    return rc;
}

/* Does it help to try the next place? */
static bool is_fault_of_place(int code)
{
    return code != EBADMSG && code != ETIMEDOUT;
}

static int find_anywhere(struct staging *s, struct lc_stage_places *all)
{
    for (struct lc_stage_place *place; (place = lc_stage_places_next(all));) {
        s->place = place;
        if (place->usable && find_here(s) == 0)
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
        if (place->usable && stage_here(s) == 0)
            return 0;
        bool fatal = place->usable && !is_fault_of_place(errno);
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
    /* Neither the user's umask nor his limit on file sizes may stop us; both stay the program's. */
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
