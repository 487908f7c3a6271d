/* SPDX-License-Identifier: MIT */
/* by_descriptor.c - attributes read and changed through a descriptor
 *
 * The descriptor of a served file is open on its staged copy. The attributes of the copy are
 * shared by all processes of the node and are not what the program means. So these calls are
 * made on the original file, by its path.
 */
#include "client/preload/wrappers.h"

#include <asm/stat.h>
#include <linux/fcntl.h>

#include "client/preload/path_query.h"
#include "client/preload/libc.h"
#include "client/preload/next.h"
#include "node/syscall.h"

/* The index entry of the staged file behind a descriptor; LC_NONE if the descriptor is not of a
 * staged file. */
static uint32_t entry_of_fd(const struct lc_node *node, int fd)
{
    struct stat st;

    if (!node || LC_SYS3(__NR_fstat, fd, &st, 0) != 0)
        return LC_NONE;
    return lc_node_entry_by_inode(node, st.st_dev, st.st_ino);
}

/* The path of the original behind a descriptor of a staged file, for a call that changes it: the
 * entry is invalidated first. NULL if the file is not staged. */
static const char *original_to_change(int fd)
{
    const struct lc_node *node = lc_client_node();
    uint32_t entry = entry_of_fd(node, fd);

    if (entry == LC_NONE)
        return NULL;
    lc_invalidate_entry(node, entry);
    return lc_look_name(&node->look, node->look.entry[entry].path);
}

/* As original_to_change(), for a call that only reads: the entry stays valid. */
static const char *original_to_read(int fd)
{
    const struct lc_node *node = lc_client_node();
    uint32_t entry = entry_of_fd(node, fd);

    return entry == LC_NONE ? NULL : lc_look_name(&node->look, node->look.entry[entry].path);
}

EXPORT(long, fgetxattr, int fd, const char *key, void *value, size_t size)
{
    const char *path = original_to_read(fd);
    long result;

    if (path && key && lc_xattr_answer(path, key, true, &result))
        return result;
    return path ? NEXT(long, getxattr, (const char *, const char *, void *, size_t))(path, key,
                                                                                     value, size)
                : NEXT(long, fgetxattr, (int, const char *, void *, size_t))(fd, key, value, size);
}

EXPORT(long, flistxattr, int fd, char *list, size_t size)
{
    const char *path = original_to_read(fd);
    long result;

    if (path && lc_xattr_answer(path, NULL, true, &result))
        return result;
    return path ? NEXT(long, listxattr, (const char *, char *, size_t))(path, list, size)
                : NEXT(long, flistxattr, (int, char *, size_t))(fd, list, size);
}

#define DEFINE_FSTATFS(name, by_path)                                       \
    EXPORT(int, name, int fd, void *out)                                    \
    {                                                                       \
        const char *path = original_to_read(fd);                            \
        return path ? NEXT(int, by_path, (const char *, void *))(path, out) \
                    : NEXT(int, name, (int, void *))(fd, out);              \
    }

DEFINE_FSTATFS(fstatfs, statfs)
DEFINE_FSTATFS(fstatfs64, statfs64)
DEFINE_FSTATFS(fstatvfs, statvfs)
DEFINE_FSTATFS(fstatvfs64, statvfs64)

EXPORT(int, fchmod, int fd, unsigned mode)
{
    const char *path = original_to_change(fd);

    return path ? NEXT(int, chmod, (const char *, unsigned))(path, mode)
                : NEXT(int, fchmod, (int, unsigned))(fd, mode);
}

EXPORT(int, fchown, int fd, unsigned uid, unsigned gid)
{
    const char *path = original_to_change(fd);

    return path ? NEXT(int, chown, (const char *, unsigned, unsigned))(path, uid, gid)
                : NEXT(int, fchown, (int, unsigned, unsigned))(fd, uid, gid);
}

int lc_set_times_of(int fd, const void *times, int flags)
{
    const char *path = original_to_change(fd);

    if (path)
        return NEXT(int, utimensat, (int, const char *, const void *, int))(AT_FDCWD, path, times,
                                                                            flags);
    return NEXT(int, utimensat, (int, const char *, const void *, int))(fd, NULL, times, flags);
}

EXPORT(int, futimens, int fd, const void *times)
{
    const char *path = original_to_change(fd);

    return path ? NEXT(int, utimensat, (int, const char *, const void *, int))(AT_FDCWD, path,
                                                                               times, 0)
                : NEXT(int, futimens, (int, const void *))(fd, times);
}

EXPORT(int, futimes, int fd, const void *times)
{
    const char *path = original_to_change(fd);

    return path ? NEXT(int, utimes, (const char *, const void *))(path, times)
                : NEXT(int, futimes, (int, const void *))(fd, times);
}

EXPORT(int, fsetxattr, int fd, const char *key, const void *value, size_t size, int flags)
{
    const char *path = original_to_change(fd);

    return path ? NEXT(int, setxattr, (const char *, const char *, const void *, size_t, int))(
                      path, key, value, size, flags)
                : NEXT(int, fsetxattr,
                       (int, const char *, const void *, size_t, int))(fd, key, value, size, flags);
}

EXPORT(int, fremovexattr, int fd, const char *key)
{
    const char *path = original_to_change(fd);

    return path ? NEXT(int, removexattr, (const char *, const char *))(path, key)
                : NEXT(int, fremovexattr, (int, const char *))(fd, key);
}
