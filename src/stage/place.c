/* SPDX-License-Identifier: MIT */
/* place.c - which directory of this machine shall hold images? */
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

/* File systems that are this machine's own (linux/magic.h, and the projects' own headers). What is
 * not here may be a server's. */
static bool is_local_type(unsigned long type)
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

static bool is_memory_type(unsigned long type)
{
    return type == 0x01021994 || type == 0x858458f6;
}

static int judge(struct lc_place *place)
{
    struct lc_error *why = &place->why;
    struct statfs fs;
    struct statvfs vfs;

    if (strpbrk(place->path, " :$")) {
        errno = EINVAL;
        return lc_error_set(
            why, "cannot use '%s': LD_PRELOAD takes no name with a blank, ':' or '$'", place->path);
    }
    if (statfs(place->path, &fs) < 0 || statvfs(place->path, &vfs) < 0)
        return lc_error_errno(why, "cannot use '%s'", place->path);
    unsigned long type = (unsigned long)fs.f_type & 0xffffffff;
    if (!is_local_type(type))
        return lc_error_set(why, "'%s' is not local memory or disk (file system type 0x%lx)",
                            place->path, type);
    place->no_exec = vfs.f_flag & ST_NOEXEC;
    place->is_memory = is_memory_type(type);
    if (lc_owned_check_way(place->path, why) < 0)
        return -1;
    if (access(place->path, W_OK | X_OK) < 0)
        return lc_error_errno(why, "cannot write to '%s'", place->path);
    return 0;
}

static int by_use(const struct lc_place *x, const struct lc_place *y)
{
    return (x->usable && x->no_exec) - (y->usable && y->no_exec);
}

static bool is_known(const struct lc_place *place, int count, const char *path)
{
    for (int i = 0; i < count; i++)
        if (strcmp(place[i].path, path) == 0)
            return true;
    return false;
}

static int add(struct lc_place *place, int count, const char *dir)
{
    char real[PATH_MAX];
    struct lc_place *p = &place[count];

    if (!dir || !*dir)
        return count;
    *p = (struct lc_place){0};
    if (!realpath(dir, real)) {
        lc_error_errno(&p->why, "cannot use '%s'", dir);
        return count + 1;
    }
    if (strlen(real) >= sizeof(p->path)) {
        lc_error_set(&p->why, "cannot use '%s': its path is too long", dir);
        return count + 1;
    }
    if (is_known(place, count, real))
        return count;
    strcpy(p->path, real);
    p->usable = judge(p) == 0;
    return count + 1;
}

int lc_place_list(struct lc_place place[LC_PLACES], const char *dir)
{
    if (dir)
        return add(place, 0, dir);
    int count = add(place, 0, getenv("LOADCAST_DIR"));
    count = add(place, count, "/dev/shm");
    count = add(place, count, getenv("TMPDIR"));
    count = add(place, count, "/tmp");
    /* Stable: qsort need not be. */
    for (int i = 1; i < count; i++)
        for (int k = i; k > 0 && by_use(&place[k - 1], &place[k]) > 0; k--) {
            struct lc_place swap = place[k];
            place[k] = place[k - 1];
            place[k - 1] = swap;
        }
    return count;
}

void lc_place_must_exec(struct lc_place *place)
{
    if (!place->usable || !place->no_exec)
        return;
    place->usable = false;
    lc_error_set(&place->why, "'%s' is mounted noexec: nothing can start from there; try --dir",
                 place->path);
}

int lc_place_has_room(const struct lc_place *place, uint64_t bytes, uint64_t files,
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

void lc_place_user_dir(char *out, size_t size)
{
    snprintf(out, size, "loadcast-%lu", (unsigned long)geteuid());
}
