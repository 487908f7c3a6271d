/* SPDX-License-Identifier: MIT */
/* parts.c - index, state, live, about, users and bin of a node directory */
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
#include "node/glibc_versions.h"
#include "node/mounts.h"
#include "stage/cache.h"
#include "stage/devs.h"
#include "stage/fit.h"
#include "stage/live.h"
#include "stage/users.h"
#include "util/buf.h"
#include "util/clock.h"
#include "util/json.h"

static const char *const objects[] = {"launch", "audit.so", "preload.so"};
enum { OBJECTS = sizeof(objects) / sizeof(*objects) };

static int create(const struct lc_fill *fill, const char *name)
{
    return openat(fill->fd, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

/* Close a file that is finished; 'rc' is what its writing returned. */
static int finish(int fd, mode_t mode, int rc)
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

static int write_part(const struct lc_fill *fill, const char *name, const void *data, size_t len,
                      mode_t mode)
{
    int fd = create(fill, name);

    if (fd < 0)
        return -1;
    ssize_t n = write(fd, data, len);
    if (n >= 0 && (size_t)n != len)
        errno = ENOSPC;
    return finish(fd, mode, (size_t)n == len ? 0 : -1);
}

/* The index as it stands on the node has an identity of its own: state carries it. */
static int write_index(const struct lc_fill *fill, uint64_t *id)
{
    int fd = create(fill, "index");

    return finish(fd, 0444, fd < 0 ? -1 : lc_image_save_index(&fill->image->look, fd, id));
}

static uint32_t slots_for(uint64_t files)
{
    uint32_t n = 8;

    while (n < 2 * files)
        n *= 2;
    return n;
}

static void add_staged(struct lc_staged *slot, uint32_t slots, const struct lc_staged *staged)
{
    uint32_t i = lc_staged_slot(staged->ino, slots);

    while (slot[i].ino)
        i = (i + 1) & (slots - 1);
    slot[i] = *staged;
}

static void add_all_staged(const struct lc_fill *fill, struct lc_staged *slot, uint32_t slots)
{
    for (uint32_t i = 0; i < fill->image->look.inodes; i++)
        if (fill->home[i] != LC_NONE)
            add_staged(slot, slots,
                       &(struct lc_staged){.ino = fill->ino[i],
                                           .entry = fill->home[i],
                                           .flags = fill->is_object[i] ? LC_STAGED_OBJECT : 0});
}

static int files_device(const struct lc_fill *fill, uint64_t *dev)
{
    struct stat st;

    if (fstatat(fill->fd, &LC_NODE_FILES[1], &st, AT_SYMLINK_NOFOLLOW) < 0)
        return -1;
    *dev = st.st_dev;
    return 0;
}

static uint64_t object_bytes(const char *origin, const char *name)
{
    char path[PATH_MAX];
    struct stat st;

    snprintf(path, sizeof(path), "%s/%s", origin, name);
    return stat(path, &st) == 0 ? (uint64_t)st.st_size : 0;
}

static int write_state(const struct lc_fill *fill, uint64_t index_id)
{
    const struct lc_look *look = &fill->image->look;
    uint32_t slots = slots_for(fill->files);
    uint64_t dev_offset = sizeof(struct lc_state), slot_offset = dev_offset + look->mounts * 8ull;
    size_t len = slot_offset + slots * sizeof(struct lc_staged);
    struct lc_state *s = calloc(1, len);

    if (!s)
        return -1;
    memcpy(s->magic, LC_STATE_MAGIC, sizeof(s->magic));
    s->flags = (fill->no_exec ? LC_STATE_NO_EXEC : 0) | (fill->only_libs ? LC_STATE_ONLY_LIBS : 0);
    s->glibc_minor = lc_fit_glibc_minor(look);
    s->untested = s->glibc_minor ? lc_glibc_untested(s->glibc_minor) : 0;
    s->devs = look->mounts;
    s->image_id = index_id;
    s->length = len;
    s->dev_offset = dev_offset;
    s->slot_offset = slot_offset;
    s->slots = slots;
    s->tls_bytes = lc_fit_tls_bytes(look);
    s->cache = lc_cache_read();
    add_all_staged(fill, (void *)((char *)s + slot_offset), slots);
    int rc = files_device(fill, &s->staged_dev);
    s->held = lc_mounts_held(look);
    s->mount_namespace = lc_mounts_namespace();
    if (rc == 0 && !lc_mounts_seen(look, &s->mounts_seen))
        rc = -1;
    s->audit_bytes = object_bytes(fill->origin, "audit.so");
    s->preload_bytes = object_bytes(fill->origin, "preload.so");
    if (rc == 0)
        rc = lc_devs_find(look, (void *)((char *)s + dev_offset));
    if (rc == 0)
        rc = write_part(fill, "state", s, len, 0444);
    int saved = errno;
    free(s);
    errno = saved;
    return rc;
}

static int write_live(const struct lc_fill *fill)
{
    uint32_t entries = fill->image->look.entries;
    struct lc_live *live = malloc(lc_live_size(entries));

    if (!live)
        return -1;
    lc_live_begin(live, entries);
    int rc = write_part(fill, "live", live, lc_live_size(entries), 0600);
    int saved = errno;
    free(live);
    errno = saved;
    return rc;
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

/* For people, and for the next exec: which image, when, by which objects. */
static int write_about(const struct lc_fill *fill)
{
    char real[PATH_MAX], id[24], when[24], job[64];
    char *what = lc_fill_objects(fill->origin);

    snprintf(id, sizeof(id), "%016" PRIx64, fill->id);
    lc_clock_iso(when, sizeof(when), lc_clock_wall_ns());
    lc_users_job(job, sizeof(job));
    /* One that came by stream is not asked for: that would be the shared disk. */
    const char *file =
        !fill->streamed && realpath(fill->image->file, real) ? real : fill->image->file;
    json_t *about = json_pack("{s:o, s:s, s:s, s:s, s:I, s:I, s:s}", "image", lc_json_text(file),
                              "id", id, "time", when, "job", job, "files", (json_int_t)fill->files,
                              "bytes", (json_int_t)fill->bytes, "objects", what ? what : "");
    char *text = about ? json_dumps(about, JSON_INDENT(1)) : NULL;
    int rc = text ? write_part(fill, "about", text, strlen(text), 0444) : (errno = ENOMEM, -1);
    int saved = errno;
    free(text);
    free(what);
    json_decref(about);
    errno = saved;
    return rc;
}

static int copy_object(const struct lc_fill *fill, const char *name)
{
    char path[PATH_MAX], to[64];
    struct stat st;

    snprintf(path, sizeof(path), "%s/%s", fill->origin, name);
    snprintf(to, sizeof(to), "bin/%s", name);
    int from = open(path, O_RDONLY | O_CLOEXEC);
    if (from < 0)
        return errno == ENOENT && strcmp(name, objects[0]) != 0 ? 0 : -1;
    int fd = fstat(from, &st) < 0 ? -1 : create(fill, to), rc = fd < 0 ? -1 : 0;
    for (off_t left = rc == 0 ? st.st_size : 0; left > 0 && rc == 0;) {
        ssize_t n = sendfile(fd, from, NULL, (size_t)left);
        rc = n > 0 ? 0 : -1;
        errno = n == 0 ? EIO : errno;
        left -= n;
    }
    rc = finish(fd, 0555, rc);
    int saved = errno;
    close(from);
    errno = saved;
    return rc;
}

int lc_fill_parts(struct lc_fill *fill, struct lc_error *err)
{
    uint64_t index_id = 0;
    int rc = mkdirat(fill->fd, "users", 0700) < 0 || mkdirat(fill->fd, "bin", 0700) < 0 ||
                     write_index(fill, &index_id) < 0 || write_state(fill, index_id) < 0 ||
                     write_live(fill) < 0 || lc_fill_code(fill, index_id) < 0 ||
                     write_about(fill) < 0
                 ? -1
                 : 0;

    if (rc < 0)
        return lc_error_errno(err, "cannot stage '%s' to '%s'", fill->image->file, fill->path);
    for (size_t i = 0; i < OBJECTS; i++)
        if (copy_object(fill, objects[i]) < 0)
            return lc_error_errno(err, "cannot stage '%s/%s' to '%s'", fill->origin, objects[i],
                                  fill->path);
    return 0;
}
