/* SPDX-License-Identifier: MIT */
/* detach.c - a process that changes to another root, mount namespace or user is not served any
 * more: what the image says was recorded for the file systems and rights it had before */
#include <linux/fcntl.h>
#include <linux/sched.h>

#include "client/preload/path_query.h"
#include "client/preload/libc.h"
#include "client/preload/next.h"
#include "node/syscall.h"

/* Make 'call'. If it succeeds, serve nothing any more in this process. */
#define LEAVING(condition, call)       \
    int lc_result = call;              \
    if (lc_result == 0 && (condition)) \
        lc_client_detach();            \
    return lc_result

EXPORT(int, chroot, const char *path)
{
    LEAVING(true, NEXT(int, chroot, (const char *))(path));
}

EXPORT(int, unshare, int flags)
{
    LEAVING(flags & CLONE_NEWNS, NEXT(int, unshare, (int))(flags));
}

EXPORT(int, setns, int fd, int kind)
{
    LEAVING(!kind || (kind & CLONE_NEWNS), NEXT(int, setns, (int, int))(fd, kind));
}

/* A mount replaces everything below its mount point, for all processes: invalidate the mount point.
 */
#define COVERING(target, call)                                               \
    bool lc_more = lc_invalidate_before(AT_FDCWD, target, LC_CHANGE_REMOVE); \
    int lc_result = call;                                                    \
    if (lc_more && lc_result == 0)                                           \
        lc_invalidate_after(AT_FDCWD, target, LC_CHANGE_REMOVE);             \
    return lc_result

EXPORT(int, mount, const char *source, const char *target, const char *type, unsigned long flags,
       const void *data)
{
    COVERING(target, NEXT(int, mount,
                          (const char *, const char *, const char *, unsigned long, const void *))(
                         source, target, type, flags, data));
}

EXPORT(int, umount, const char *target)
{
    COVERING(target, NEXT(int, umount, (const char *))(target));
}

EXPORT(int, umount2, const char *target, int flags)
{
    COVERING(target, NEXT(int, umount2, (const char *, int))(target, flags));
}

enum {
    MOVE_MOUNT = 429
}; /* the same number on every architecture; headers before Linux 5.2 lack it */

/* mount(8) attaches file systems by this call since util-linux 2.39. With an empty path the mount
 * point is the descriptor's directory. The system call is made here, because glibc has a function
 * for it only since 2.36. */
EXPORT(int, move_mount, int from_fd, const char *from, int fd, const char *target, unsigned flags)
{
    char link[40], place[LC_PATH_MAX];
    long n = 0;

    if (target && !target[0]) {
        lc_fd_path(link, fd);
        n = lc_sys_readlink(link, place, sizeof(place) - 1);
    }
    if (n > 0) {
        place[n] = '\0';
        lc_invalidate_before(AT_FDCWD, place, LC_CHANGE_REMOVE);
    }
    lc_invalidate_before(from_fd, from, LC_CHANGE_REMOVE);
    bool more = lc_invalidate_before(fd, target, LC_CHANGE_REMOVE);
    int result =
        (int)lc_return(lc_sys6(MOVE_MOUNT, from_fd, (long)from, fd, (long)target, flags, 0));
    if (more && result == 0)
        lc_invalidate_after(fd, target, LC_CHANGE_REMOVE);
    return result;
}

EXPORT(int, setuid, unsigned uid)
{
    LEAVING(true, NEXT(int, setuid, (unsigned))(uid));
}

EXPORT(int, seteuid, unsigned uid)
{
    LEAVING(true, NEXT(int, seteuid, (unsigned))(uid));
}

EXPORT(int, setreuid, unsigned real, unsigned effective)
{
    LEAVING(true, NEXT(int, setreuid, (unsigned, unsigned))(real, effective));
}

EXPORT(int, setresuid, unsigned real, unsigned effective, unsigned saved)
{
    LEAVING(true, NEXT(int, setresuid, (unsigned, unsigned, unsigned))(real, effective, saved));
}
