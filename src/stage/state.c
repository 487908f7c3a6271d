/* SPDX-License-Identifier: MIT */
/* state.c - NODE/state: what is true of this node, of its mounts and of the staged files */
#include "stage/fill.h"

#include <fcntl.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "image/hash.h"
#include "node/attach.h"
#include "node/glibc_versions.h"
#include "node/mounts.h"
#include "stage/fit.h"
#include "util/io.h"
#include "util/path.h"

/* Which /etc/ld.so.cache this node has: search results are valid for one only. All zero if there is
 * none, or if it cannot be read. */
static struct lc_cache cache_read(void)
{
    struct lc_cache cache = {0};
    struct stat st;
    int fd = open(LC_CACHE_FILE, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return cache;
    char *at = fstat(fd, &st) == 0 && st.st_size > 0 ? malloc((size_t)st.st_size) : NULL;
    if (at && lc_read_exactly(fd, at, (size_t)st.st_size, 0) == 0)
        cache = (struct lc_cache){.hash = lc_hash(at, (size_t)st.st_size),
                                  .ino = st.st_ino,
                                  .size = (uint64_t)st.st_size,
                                  .mtime_ns = (uint64_t)st.st_mtim.tv_sec * 1000000000u +
                                              (uint64_t)st.st_mtim.tv_nsec};
    free(at);
    close(fd);
    return cache;
}

/* st_dev of a mount. For btrfs the mount table shows another number than stat(). */
static uint64_t mount_device(unsigned major_number, unsigned minor_number, const char *tail,
                             const char *point)
{
    struct stat st;

    if (strncmp(tail, " - btrfs ", 9) == 0 && stat(point, &st) == 0)
        return st.st_dev;
    return makedev(major_number, minor_number);
}

/* Use a line of the mount table, "ID PARENT MAJ:MIN ROOT POINT OPTIONS [...] - TYPE SOURCE
 * OPTIONS". Of several mounts at one point the last one covers the others; of several above a point
 * the deepest one counts. */
static void mount_line_use(const struct lc_look *look, char *line, uint64_t *dev, size_t *depth)
{
    unsigned major_number, minor_number;
    int at = 0;
    char *tail = strstr(line, " - ");

    if (!tail || sscanf(line, "%*d %*d %u:%u %*s %n", &major_number, &minor_number, &at) != 2 ||
        !at)
        return;
    char *point = line + at, *end = strchr(point, ' ');
    if (!end || end > tail)
        return;
    *end = '\0';
    lc_path_undo_octal(point);
    size_t len = strlen(point);
    for (uint32_t i = 0; i < look->mounts; i++)
        if (len >= depth[i] && lc_path_is_under(lc_look_name(look, look->mount[i].point), point)) {
            depth[i] = len;
            dev[i] = mount_device(major_number, minor_number, tail, point);
        }
}

/* Fill dev[look->mounts] from the mount table: the mount at each point, or the one that covers it.
 * No file system is asked but btrfs. 0, or -1 with errno. */
static int devices_find(const struct lc_look *look, uint64_t *dev)
{
    size_t *depth = calloc(look->mounts + 1u, sizeof(*depth)), room = 0;
    FILE *f = depth ? fopen("/proc/self/mountinfo", "re") : NULL;
    char *line = NULL;

    if (!f) {
        free(depth);
        return -1;
    }
    while (getline(&line, &room, f) > 0)
        mount_line_use(look, line, dev, depth);
    fclose(f);
    free(line);
    free(depth);
    return 0;
}

/* A power of two, at most half full. */
static uint32_t slots_for(uint64_t files)
{
    uint32_t n = 8;

    while (n < 2 * files)
        n *= 2;
    return n;
}

static void staged_add(struct lc_staged *slot, uint32_t slots, const struct lc_staged *staged)
{
    uint32_t i = lc_staged_slot(staged->ino, slots);

    while (slot[i].ino)
        i = (i + 1) & (slots - 1);
    slot[i] = *staged;
}

static void staged_add_all(const struct lc_fill *fill, struct lc_staged *slot, uint32_t slots)
{
    for (uint32_t i = 0; i < fill->image->look.inodes; i++)
        if (fill->home[i] != LC_NONE)
            staged_add(slot, slots,
                       &(struct lc_staged){
                           .ino = fill->ino[i], .entry = fill->home[i], .flags = fill->kind[i]});
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

int lc_fill_state(const struct lc_fill *fill, uint64_t index_id)
{
    const struct lc_look *look = &fill->image->look;
    uint32_t slots = slots_for(fill->files);
    uint64_t dev_offset = sizeof(struct lc_state), slot_offset = dev_offset + look->mounts * 8ull;
    size_t len = slot_offset + slots * sizeof(struct lc_staged);
    struct lc_state *s = calloc(1, len);
    struct lc_place place;

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
    s->cache = cache_read();
    staged_add_all(fill, (void *)((char *)s + slot_offset), slots);
    int rc = files_device(fill, &s->staged_dev);
    s->held = lc_mounts_held(look);
    s->mount_namespace = lc_mounts_namespace();
    s->mount = lc_place_read(fill->fd, &place) ? place.mount : 0;
    if (rc == 0 && !lc_mounts_seen(look, &s->mounts_seen))
        rc = -1;
    s->audit_bytes = object_bytes(fill->origin, "audit.so");
    s->preload_bytes = object_bytes(fill->origin, "preload.so");
    if (rc == 0)
        rc = devices_find(look, (void *)((char *)s + dev_offset));
    if (rc == 0)
        rc = lc_fill_write(fill, "state", s, len, 0444);
    int saved = errno;
    free(s);
    errno = saved;
    return rc;
}
