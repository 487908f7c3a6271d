/* SPDX-License-Identifier: MIT */
/* stat.c - stat, lstat, fstat, fstatat, statx, access and their variants
 *
 * On 64-bit machines struct stat, struct stat64 and the kernel's structure are the same.
 */
#include <asm/stat.h>
#include <linux/fcntl.h>
#include <linux/stat.h>

#include "client/preload/libc_names.h"
#include "client/preload/path_query.h"
#include "client/preload/libc.h"
#include "client/preload/next.h"
#include "client/preload/readable.h"
#include "client/preload/wrappers.h"
#include "node/syscall.h"

enum {
    EMPTY_PATH = 0x1000,
    NOFOLLOW = 0x100,
    EACCESS = 0x200,
    NO_AUTOMOUNT = 0x800,
    DONT_SYNC = 0x4000,
};

/* Does the C library know this version argument of __xstat? If not, it says EINVAL. */
static bool version_is_known(int version)
{
    return version >= 0 && version <= LC_ARCH_STAT_VERSION;
}

static void stat_fill(const struct lc_node *node, const struct lc_inode *inode, struct stat *st)
{
    struct stat zero = {0};

    *st = zero;
    st->st_dev = node->dev[inode->mount];
    st->st_ino = inode->ino;
    st->st_mode = inode->mode;
    st->st_nlink = inode->nlink;
    st->st_uid = inode->uid;
    st->st_gid = inode->gid;
    st->st_size = (long)inode->size;
    st->st_blksize = (int)inode->blksize;
    st->st_blocks = (long)inode->blocks;
    st->st_atime = (unsigned long)inode->atime;
    st->st_atime_nsec = inode->atime_ns;
    st->st_mtime = (unsigned long)inode->mtime;
    st->st_mtime_nsec = inode->mtime_ns;
    st->st_ctime = (unsigned long)inode->ctime;
    st->st_ctime_nsec = inode->ctime_ns;
}

/* A directory in which something was written has a new time and size. */
static bool directory_is_stale(const struct lc_query *query)
{
    return query->what->kind == LC_KIND_DIRECTORY && lc_node_has_written(query->node) &&
           lc_node_is_written(query->node, query->entry);
}

/* Answer from the image. True: *result is 0, or -1 with errno set. */
static bool stat_answer(int dirfd, const char *path, int flags, struct stat *st, int *result)
{
    struct lc_query query;

    if (flags & ~(NOFOLLOW | NO_AUTOMOUNT | EMPTY_PATH))
        return false;
    lc_query_begin(&query, dirfd, path, flags & NOFOLLOW ? LC_QUERY_NOFOLLOW : 0);
    if (query.verdict == LC_KNOWN && (directory_is_stale(&query) || !lc_is_place(st, sizeof(*st))))
        lc_query_pass(&query, LC_COUNT_PASS_WRITTEN);
    if (query.verdict == LC_KNOWN) {
        stat_fill(query.node, query.inode, st);
        lc_node_count(query.node, LC_COUNT_STAT);
        *result = 0;
    } else if (query.verdict == LC_ABSENT) {
        lc_set_errno(query.error);
        *result = -1;
    }
    bool is_done = query.verdict != LC_PASS || query.resolved;
    if (query.resolved)
        *result = (int)lc_return(LC_SYS4(__NR_newfstatat, AT_FDCWD, query.resolved, st, flags));
    lc_query_end(&query);
    return is_done;
}

/* The kernel has described the file behind a descriptor. If it is a staged file, replace the
 * description by the original's. */
static void staged_stat_replace(struct stat *st)
{
    const struct lc_node *node = lc_client_node();
    uint32_t entry = node ? lc_node_entry_by_inode(node, st->st_dev, st->st_ino) : LC_NONE;
    const struct lc_inode *inode = entry == LC_NONE ? NULL : lc_look_inode(&node->look, entry);

    if (inode && inode->mount < node->state->devs)
        stat_fill(node, inode, st);
}

#define DEFINE_STAT(name, flags)                                         \
    EXPORT(int, name, const char *path, struct stat *st)                 \
    {                                                                    \
        int result;                                                      \
        if (stat_answer(AT_FDCWD, path, flags, st, &result))             \
            return result;                                               \
        return NEXT(int, name, (const char *, struct stat *))(path, st); \
    }

#define DEFINE_XSTAT(name, flags)                                                         \
    EXPORT(int, name, int version, const char *path, struct stat *st)                     \
    {                                                                                     \
        int result;                                                                       \
        if (version_is_known(version) && stat_answer(AT_FDCWD, path, flags, st, &result)) \
            return result;                                                                \
        return NEXT(int, name, (int, const char *, struct stat *))(version, path, st);    \
    }

#define DEFINE_FSTAT(name)                                          \
    EXPORT(int, name, int fd, struct stat *st)                      \
    {                                                               \
        int result = NEXT(int, name, (int, struct stat *))(fd, st); \
        if (result == 0)                                            \
            staged_stat_replace(st);                                \
        return result;                                              \
    }

#define DEFINE_FXSTAT(name)                                                       \
    EXPORT(int, name, int version, int fd, struct stat *st)                       \
    {                                                                             \
        int result = NEXT(int, name, (int, int, struct stat *))(version, fd, st); \
        if (result == 0)                                                          \
            staged_stat_replace(st);                                              \
        return result;                                                            \
    }

static bool asks_about_fd(const char *path, int flags)
{
    return (flags & EMPTY_PATH) && (!path || (lc_is_text(path) && !path[0]));
}

#define DEFINE_FSTATAT(name)                                                                       \
    EXPORT(int, name, int dirfd, const char *path, struct stat *st, int flags)                     \
    {                                                                                              \
        int result;                                                                                \
        if (!asks_about_fd(path, flags) && stat_answer(dirfd, path, flags, st, &result))           \
            return result;                                                                         \
        result = NEXT(int, name, (int, const char *, struct stat *, int))(dirfd, path, st, flags); \
        if (result == 0 && asks_about_fd(path, flags))                                             \
            staged_stat_replace(st);                                                               \
        return result;                                                                             \
    }

#define DEFINE_FXSTATAT(name)                                                                    \
    EXPORT(int, name, int version, int dirfd, const char *path, struct stat *st, int flags)      \
    {                                                                                            \
        int result;                                                                              \
        if (version_is_known(version) && !asks_about_fd(path, flags) &&                          \
            stat_answer(dirfd, path, flags, st, &result))                                        \
            return result;                                                                       \
        result = NEXT(int, name, (int, int, const char *, struct stat *, int))(version, dirfd,   \
                                                                               path, st, flags); \
        if (result == 0 && asks_about_fd(path, flags))                                           \
            staged_stat_replace(st);                                                             \
        return result;                                                                           \
    }

LC_LIBC_STAT(DEFINE_STAT)
LC_LIBC_XSTAT(DEFINE_XSTAT)
DEFINE_FSTAT(fstat)
DEFINE_FSTAT(fstat64)
DEFINE_FXSTAT(__fxstat)
DEFINE_FXSTAT(__fxstat64)
LC_LIBC_FSTATAT(DEFINE_FSTATAT)
LC_LIBC_FXSTATAT(DEFINE_FXSTATAT)

static void time_set(struct statx_timestamp *t, int64_t seconds, uint32_t ns)
{
    t->tv_sec = seconds;
    t->tv_nsec = ns;
}

static void statx_fill(const struct lc_node *node, const struct lc_inode *inode, struct statx *sx)
{
    struct statx zero = {0};
    uint64_t dev = node->dev[inode->mount];

    *sx = zero;
    sx->stx_mask = STATX_BASIC_STATS | (inode->btime ? STATX_BTIME : 0);
    sx->stx_blksize = inode->blksize;
    sx->stx_nlink = inode->nlink;
    sx->stx_uid = inode->uid;
    sx->stx_gid = inode->gid;
    sx->stx_mode = (uint16_t)inode->mode;
    sx->stx_ino = inode->ino;
    sx->stx_size = inode->size;
    sx->stx_blocks = inode->blocks;
    time_set(&sx->stx_atime, inode->atime, inode->atime_ns);
    time_set(&sx->stx_mtime, inode->mtime, inode->mtime_ns);
    time_set(&sx->stx_ctime, inode->ctime, inode->ctime_ns);
    time_set(&sx->stx_btime, inode->btime, inode->btime_ns);
    sx->stx_dev_major = (uint32_t)((dev >> 8 & 0xfff) | (dev >> 32 & ~0xfffu));
    sx->stx_dev_minor = (uint32_t)((dev & 0xff) | (dev >> 12 & ~0xffu));
}

/* Calls for the kernel: flags that it would refuse, fields that the image does not hold, and
 * AT_STATX_FORCE_SYNC, by which a program insists on the server's answer. */
static bool statx_needs_kernel(int flags, unsigned mask)
{
    return (mask & ~(STATX_BASIC_STATS | STATX_BTIME)) ||
           (flags & ~(NOFOLLOW | NO_AUTOMOUNT | EMPTY_PATH | DONT_SYNC));
}

static bool statx_answer(int dirfd, const char *path, int flags, unsigned mask, struct statx *sx,
                         int *result)
{
    struct lc_query query;

    lc_query_begin(&query, dirfd, path, flags & NOFOLLOW ? LC_QUERY_NOFOLLOW : 0);
    if (query.verdict == LC_KNOWN && (directory_is_stale(&query) || !lc_is_place(sx, sizeof(*sx))))
        lc_query_pass(&query, LC_COUNT_PASS_WRITTEN);
    if (query.verdict == LC_KNOWN) {
        statx_fill(query.node, query.inode, sx);
        lc_node_count(query.node, LC_COUNT_STAT);
        *result = 0;
    } else if (query.verdict == LC_ABSENT) {
        lc_set_errno(query.error);
        *result = -1;
    }
    bool is_done = query.verdict != LC_PASS;
    if (query.resolved) {
        long got = lc_sys6(__NR_statx, AT_FDCWD, (long)query.resolved, flags, mask, (long)sx, 0);
        is_done = got != -38 /* ENOSYS: the C library knows another way */;
        *result = is_done ? (int)lc_return(got) : -1;
    }
    lc_query_end(&query);
    return is_done;
}

static void staged_statx_replace(struct statx *sx)
{
    const struct lc_node *node = lc_client_node();
    uint64_t dev = (sx->stx_dev_minor & 0xff) | ((uint64_t)(sx->stx_dev_major & 0xfff) << 8) |
                   ((uint64_t)(sx->stx_dev_minor & ~0xffu) << 12) |
                   ((uint64_t)(sx->stx_dev_major & ~0xfffu) << 32);
    uint32_t entry = node ? lc_node_entry_by_inode(node, dev, sx->stx_ino) : LC_NONE;
    const struct lc_inode *inode = entry == LC_NONE ? NULL : lc_look_inode(&node->look, entry);

    if (inode && inode->mount < node->state->devs)
        statx_fill(node, inode, sx);
}

int lc_statx(int dirfd, const char *path, int flags, unsigned mask, struct statx *sx)
{
    int result = -1;

    if (!asks_about_fd(path, flags) && !statx_needs_kernel(flags, mask) &&
        statx_answer(dirfd, path, flags, mask, sx, &result))
        return result;
    result = NEXT(int, statx, (int, const char *, int, unsigned, struct statx *))(dirfd, path,
                                                                                  flags, mask, sx);
    if (result == 0 && asks_about_fd(path, flags))
        staged_statx_replace(sx);
    return result;
}

EXPORT(int, statx, int dirfd, const char *path, int flags, unsigned mask, struct statx *sx)
{
    return lc_statx(dirfd, path, flags, mask, sx);
}

/* Answers only what the recorded mode decides: existence; for users other than root also reading
 * and executing. Writing may fail for reasons that the image does not know. */
static bool access_is_granted(const struct lc_inode *inode, int mode, int *result)
{
    unsigned uid = (unsigned)LC_SYS3(__NR_geteuid, 0, 0, 0);
    bool any_x = inode->mode & 0111, is_dir = (inode->mode & 0170000) == 0040000;

    if (mode & 2 /* W_OK */)
        return false;
    if (mode == 0 || (uid == 0 && (!(mode & 1) || any_x || is_dir))) {
        *result = 0;
        return true;
    }
    unsigned bits = uid == inode->uid ? inode->mode >> 6 & 7 : inode->mode & 7;
    bool by_group = uid != inode->uid && (inode->mode >> 3 & 7) != (inode->mode & 7);
    if (uid == 0 || by_group || ((unsigned)mode & ~bits))
        return false; /* group rights and refusals are left to the kernel */
    *result = 0;
    return true;
}

static bool access_answer(int dirfd, const char *path, int mode, int flags, int *result)
{
    struct lc_query query;

    *result = -1;
    if ((flags & ~(NOFOLLOW | EACCESS)) || (mode & ~7) || !lc_client_node() ||
        LC_SYS3(__NR_getuid, 0, 0, 0) != LC_SYS3(__NR_geteuid, 0, 0, 0))
        return false;
    lc_query_begin(&query, dirfd, path, flags & NOFOLLOW ? LC_QUERY_NOFOLLOW : 0);
    if (query.verdict == LC_KNOWN && !access_is_granted(query.inode, mode, result))
        lc_query_pass(&query, LC_COUNT_PASS_NO_CONTENT);
    if (query.verdict == LC_KNOWN)
        lc_node_count(query.node, LC_COUNT_STAT);
    if (query.verdict == LC_ABSENT) {
        lc_set_errno(query.error);
        *result = -1;
    }
    bool is_done = query.verdict != LC_PASS || (query.resolved && !flags);
    if (query.resolved && !flags)
        *result = (int)lc_return(lc_sys_access(query.resolved, mode));
    lc_query_end(&query);
    return is_done;
}

#define DEFINE_ACCESS(name)                                      \
    EXPORT(int, name, const char *path, int mode)                \
    {                                                            \
        int result;                                              \
        if (access_answer(AT_FDCWD, path, mode, 0, &result))     \
            return result;                                       \
        return NEXT(int, name, (const char *, int))(path, mode); \
    }

LC_LIBC_ACCESS(DEFINE_ACCESS)

EXPORT(int, faccessat, int dirfd, const char *path, int mode, int flags)
{
    int result = -1;

    if (access_answer(dirfd, path, mode, flags, &result))
        return result;
    return NEXT(int, faccessat, (int, const char *, int, int))(dirfd, path, mode, flags);
}
