/* SPDX-License-Identifier: MIT */
/* place.c - choose the directory of this machine that holds images */
#include "stage/place.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "stage/owned.h"
#include "stage/space.h"
#include "util/human.h"

/* Types of local file systems (linux/magic.h and the headers of the file systems). Any other may be
 * a network file system. */
static bool type_is_local(unsigned long type)
{
    static const unsigned long local[] = {
        0x01021994, /* tmpfs */
        0x858458f6, /* ramfs */
        0xef53,     /* ext2, ext3, ext4 */
        0x58465342, /* xfs */
        0x9123683e, /* btrfs */
        0xf2f52010, /* f2fs */
        0x2fc12fc1, /* zfs */
        0xca451a4e, /* bcachefs */
        0x3153464a, /* jfs */
        0x52654973, /* reiserfs */
        0x794c7630, /* overlayfs: what a container has for a root */
    };

    for (size_t i = 0; i < sizeof(local) / sizeof(*local); i++)
        if (type == local[i])
            return true;
    return false;
}

bool lc_stage_is_local(const char *path)
{
    struct statfs fs;

    return statfs(path, &fs) == 0 && type_is_local((unsigned long)fs.f_type & 0xffffffff);
}

static bool type_is_memory(unsigned long type)
{
    return type == 0x01021994 || type == 0x858458f6;
}

/* Is it absolute, without empty or dot components, and short enough? It may still contain links. */
static bool path_is_clean(const char *path)
{
    size_t n = strlen(path);

    return path[0] == '/' && n < LC_STAGE_PLACE_LEN && (n == 1 || path[n - 1] != '/') &&
           !strstr(path, "//") && !strstr(path, "/.");
}

/* Set place->path and place->fd. */
static int place_open(struct lc_stage_place *place)
{
    char real[PATH_MAX];
    const char *path = place->given;

    if (path_is_clean(path))
        place->fd = lc_owned_open_path(path, &place->why);
    if (place->fd < 0) { /* it may contain a link */
        if (path_is_clean(path) && errno != ENOTDIR)
            return -1;
        if (!realpath(place->given, real))
            return lc_error_errno(&place->why, "cannot use '%s'", place->given);
        path = real;
        if (strlen(path) >= sizeof(place->path)) {
            errno = ENAMETOOLONG;
            return lc_error_set(&place->why, "the path is too long for node memory: '%s'", path);
        }
        place->fd = lc_owned_open_path(path, &place->why);
    }
    if (place->fd < 0)
        return -1;
    strcpy(place->path, path);
    return 0;
}

static int place_judge(struct lc_stage_place *place, bool must_exec)
{
    struct lc_error *why = &place->why;
    struct statfs fs;

    if (place_open(place) < 0)
        return -1;
    if (strpbrk(place->path, " :$")) {
        errno = EINVAL;
        return lc_error_set(
            why, "cannot use '%s': LD_PRELOAD takes no name with a blank, ':' or '$'", place->path);
    }
    if (fstatfs(place->fd, &fs) < 0)
        return lc_error_errno(why, "cannot use '%s'", place->path);
    unsigned long type = (unsigned long)fs.f_type & 0xffffffff;
    if (!type_is_local(type))
        return lc_error_set(why, "'%s' is not local memory or disk (file system type 0x%lx)",
                            place->path, type);
    place->no_exec = fs.f_flags & ST_NOEXEC;
    place->is_memory = type_is_memory(type);
    if (faccessat(place->fd, ".", W_OK | X_OK, 0) < 0)
        return lc_error_errno(why, "cannot write to '%s'", place->path);
    if (must_exec && place->no_exec)
        return lc_error_set(why, "'%s' is mounted noexec: nothing can start from there; try --dir",
                            place->path);
    return 0;
}

static void place_add(struct lc_stage_places *all, const char *dir)
{
    if (!dir || !*dir)
        return;
    for (int i = 0; i < all->count; i++)
        if (strcmp(all->place[i].given, dir) == 0)
            return;
    all->place[all->count++] = (struct lc_stage_place){.given = dir, .fd = -1};
}

void lc_stage_places_begin(struct lc_stage_places *all, const char *dir, bool must_exec)
{
    all->count = all->at = 0;
    all->last = false;
    all->must_exec = must_exec;
    place_add(all, dir ? dir : getenv("LOADCAST_DIR"));
    if (dir)
        return;
    place_add(all, "/dev/shm");
    place_add(all, getenv("TMPDIR"));
    place_add(all, "/tmp");
}

struct lc_stage_place *lc_stage_places_next(struct lc_stage_places *all)
{
    while (all->count > 0) {
        if (all->at == all->count) {
            all->at = 0;
            all->last = !all->last;
            if (!all->last)
                return NULL;
        }
        struct lc_stage_place *place = &all->place[all->at++];
        if (!place->judged)
            place->usable = place_judge(place, all->must_exec) == 0;
        place->judged = true;
        if ((place->usable && place->no_exec) == all->last)
            return place;
    }
    return NULL;
}

void lc_stage_places_end(struct lc_stage_places *all)
{
    for (int i = 0; i < all->count; i++)
        if (all->place[i].fd >= 0)
            close(all->place[i].fd);
    all->count = 0;
}

int lc_stage_place_has_room(const struct lc_stage_place *place, uint64_t bytes, uint64_t files,
                            struct lc_error *err)
{
    struct statvfs vfs;

    if (statvfs(place->path, &vfs) < 0)
        return lc_error_errno(err, "cannot use '%s'", place->path);
    struct lc_space room = lc_space_ask(&vfs, place->is_memory);
    errno = ENOSPC;
    if (bytes > room.bytes)
        return lc_error_set(err, "not enough room in '%s': needs %s, has %s (%s)", place->path,
                            lc_human_bytes(bytes).s, lc_human_bytes(room.bytes).s, room.limit);
    if (vfs.f_files > 0 && files > vfs.f_favail)
        return lc_error_set(err, "not enough inodes in '%s': needs %s, has %s", place->path,
                            lc_human_count(files).s, lc_human_count(vfs.f_favail).s);
    return 0;
}
