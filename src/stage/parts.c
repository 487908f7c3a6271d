/* SPDX-License-Identifier: MIT */
/* parts.c - a node directory but its files: index, live, about, users and bin; state is in state.c
 */
#include "stage/fill.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config.h"
#include "stage/counters.h"
#include "stage/stage.h"
#include "stage/users.h"
#include "util/buf.h"
#include "util/clock.h"
#include "util/io.h"
#include "util/json.h"
#include "util/own_path.h"

static const char *const objects[] = {"launch", "audit.so", "preload.so"};
enum { OBJECTS = sizeof(objects) / sizeof(*objects) };

static int part_create(const struct lc_fill *fill, const char *name)
{
    return openat(fill->fd, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

/* Set the mode of a file that is written, and close it; 'rc' is what the writing returned. */
static int part_finish(int fd, mode_t mode, int rc)
{
    int saved;

    if (rc == 0)
        rc = fchmod(fd, mode);
    saved = errno;
    if (fd >= 0 && close(fd) < 0 && rc == 0)
        return -1;
    errno = saved;
    return rc;
}

int lc_fill_write(const struct lc_fill *fill, const char *name, const void *data, size_t len,
                  mode_t mode)
{
    int fd = part_create(fill, name);

    if (fd < 0)
        return -1;
    ssize_t n = write(fd, data, len);
    if (n >= 0 && (size_t)n != len)
        errno = ENOSPC;
    return part_finish(fd, mode, (size_t)n == len ? 0 : -1);
}

/* The index on the node has an identity of its own, which goes into state. */
static int index_write(const struct lc_fill *fill, uint64_t *id)
{
    int fd = part_create(fill, "index");

    return part_finish(fd, 0444, fd < 0 ? -1 : lc_image_save_index(&fill->image->look, fd, id));
}

/* All of it gets memory now: a process that writes to a page which cannot be had later would be
 * killed.
 */
static int live_write(const struct lc_fill *fill)
{
    uint32_t entries = fill->image->look.entries;
    size_t filled = lc_live_filled(entries), size = lc_live_size(entries);
    struct lc_live *live = malloc(filled);
    int fd = live ? part_create(fill, "live") : -1;

    if (live)
        lc_live_begin(live, entries);
    int rc = fd < 0 ? -1 : lc_write_at(fd, live, filled, 0);
    int code = rc == 0 ? posix_fallocate(fd, (off_t)filled, (off_t)(size - filled)) : errno;
    free(live);
    errno = code;
    return part_finish(fd, 0600, code ? -1 : 0);
}

uint64_t lc_fill_object_bytes(const char *origin)
{
    char path[PATH_MAX];
    struct stat st;
    uint64_t sum = 0;

    for (size_t i = 0; i < OBJECTS; i++) {
        snprintf(path, sizeof(path), "%s/%s", origin, objects[i]);
        sum += stat(path, &st) == 0 ? (uint64_t)st.st_size + 4096 : 0;
    }
    return sum;
}

char *lc_fill_objects(const char *origin)
{
    struct lc_buf text = {0};
    char path[PATH_MAX];
    struct stat st;

    for (size_t i = 0; i < OBJECTS; i++) {
        snprintf(path, sizeof(path), "%s/%s", origin, objects[i]);
        if (stat(path, &st) == 0)
            lc_buf_printf(&text, "%s %jd %jd.%09ld; ", objects[i], (intmax_t)st.st_size,
                          (intmax_t)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
    }
    lc_buf_puts(&text, LC_VERSION);
    if (!text.failed)
        return text.data;
    lc_buf_free(&text);
    errno = ENOMEM;
    return NULL;
}

/* Which image, when, by which objects, how fast: for people, for the next process that stages, and
 * for the visit after the line (visit.h). */
static int about_write(const struct lc_fill *fill)
{
    char real[PATH_MAX], id[24], when[24], job[64];
    char *what = lc_fill_objects(fill->origin);

    snprintf(id, sizeof(id), "%016" PRIx64, fill->id);
    lc_clock_iso(when, sizeof(when), lc_clock_wall_ns());
    lc_users_job(job, sizeof(job));
    /* An image that was sent here is not resolved: its path lies on the shared file system. */
    const char *file =
        !fill->streamed && realpath(fill->image->file, real) ? real : fill->image->file;
    double seconds = (double)(lc_clock_ns() - fill->began_ns) / 1e9;
    json_t *about =
        json_pack("{s:o, s:s, s:s, s:s, s:I, s:I, s:I, s:f, s:s}", "image", lc_json_text(file),
                  "id", id, "time", when, "job", job, "files", (json_int_t)fill->files, "bytes",
                  (json_int_t)fill->bytes, "copied", (json_int_t)fill->copied, "seconds", seconds,
                  "objects", what ? what : "");
    char *text = about ? json_dumps(about, JSON_INDENT(1)) : NULL;
    int rc = text ? lc_fill_write(fill, "about", text, strlen(text), 0444) : (errno = ENOMEM, -1);
    int saved = errno;
    free(text);
    free(what);
    json_decref(about);
    errno = saved;
    return rc;
}

/* Room for the name of any file in that directory: no path of ours is ever cut. */
enum { LC_ORIGIN_ROOM = 64 };

int lc_stage_origin(char *out, size_t size, struct lc_error *err)
{
    char self[PATH_MAX], probe[PATH_MAX + 32];

    if (lc_own_directory(self, err) < 0)
        return -1;
    if (strlen(self) + LC_ORIGIN_ROOM > size) {
        errno = ENAMETOOLONG;
        return lc_error_errno(err, "cannot use what is installed with this program");
    }
    snprintf(out, size, "%s", self);
    snprintf(probe, sizeof(probe), "%s/launch", self);
    if (access(probe, X_OK) == 0)
        return 0;
    return lc_error_errno(err, "the launcher '%s' is not there; install Loadcast whole", probe);
}

static int object_copy(const struct lc_fill *fill, const char *name)
{
    char path[PATH_MAX], to[64];
    struct stat st;

    snprintf(path, sizeof(path), "%s/%s", fill->origin, name);
    snprintf(to, sizeof(to), "bin/%s", name);
    int from = open(path, O_RDONLY | O_CLOEXEC);
    if (from < 0)
        return errno == ENOENT && strcmp(name, objects[0]) != 0 ? 0 : -1;
    int fd = fstat(from, &st) < 0 ? -1 : part_create(fill, to), rc = fd < 0 ? -1 : 0;
    for (off_t left = rc == 0 ? st.st_size : 0; left > 0 && rc == 0;) {
        ssize_t n = sendfile(fd, from, NULL, (size_t)left);
        rc = n > 0 ? 0 : -1;
        errno = n == 0 ? EIO : errno;
        left -= n;
    }
    rc = part_finish(fd, 0555, rc);
    int saved = errno;
    close(from);
    errno = saved;
    return rc;
}

int lc_fill_parts(struct lc_fill *fill, struct lc_error *err)
{
    uint64_t index_id = 0;
    int rc = mkdirat(fill->fd, "users", 0700) < 0 || mkdirat(fill->fd, "bin", 0700) < 0 ||
                     index_write(fill, &index_id) < 0 || lc_fill_state(fill, index_id) < 0 ||
                     live_write(fill) < 0 || lc_fill_code(fill, index_id) < 0 ||
                     about_write(fill) < 0
                 ? -1
                 : 0;

    if (rc < 0)
        return lc_error_errno(err, "cannot stage '%s' to '%s'", fill->image->file, fill->path);
    for (size_t i = 0; i < OBJECTS; i++)
        if (object_copy(fill, objects[i]) < 0)
            return lc_error_errno(err, "cannot stage '%s/%s' to '%s'", fill->origin, objects[i],
                                  fill->path);
    return 0;
}
