/* SPDX-License-Identifier: MIT */
/* leave.c - a process that comes to see another file system, or with other rights, is on its own:
 * chroot, other mounts, another user. What the image says was true for the world it left. */
#include <linux/fcntl.h>
#include <linux/sched.h>

#include "client/preload/ask.h"
#include "client/preload/libc.h"
#include "client/preload/next.h"
#include "node/syscall.h"

/* Do 'call'; if it succeeds, answer nothing any more in this process. */
#define LEAVING(condition, call)       \
    int lc_result = call;              \
    if (lc_result == 0 && (condition)) \
        lc_client_leave();             \
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

/* What lies below a mount point is another thing then, for all. */
#define COVERING(target, call)                                         \
    bool lc_more = lc_note_change(AT_FDCWD, target, LC_CHANGE_REMOVE); \
    int lc_result = call;                                              \
    if (lc_more && lc_result == 0)                                     \
        lc_note_done(AT_FDCWD, target, LC_CHANGE_REMOVE);              \
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

enum { MOVE_MOUNT = 429 }; /* on every architecture; headers before Linux 5.2 lack it */

/* By which mount(8) attaches since util-linux 2.39. Without a path the descriptor is the place. The
 * call itself is made here: the C library has it from 2.36 on, and does nothing else. */
EXPORT(int, move_mount, int from_fd, const char *from, int fd, const char *target, unsigned flags)
{
    char link[40], place[LC_PATH_MAX];
    long n = 0;

    if (target && !target[0]) {
        lc_name_fd(link, fd);
        n = lc_sys_readlink(link, place, sizeof(place) - 1);
    }
    if (n > 0) {
        place[n] = '\0';
        lc_note_change(AT_FDCWD, place, LC_CHANGE_REMOVE);
    }
    lc_note_change(from_fd, from, LC_CHANGE_REMOVE);
    bool more = lc_note_change(fd, target, LC_CHANGE_REMOVE);
    int result =
        (int)lc_return(lc_sys6(MOVE_MOUNT, from_fd, (long)from, fd, (long)target, flags, 0));
    if (more && result == 0)
        lc_note_done(fd, target, LC_CHANGE_REMOVE);
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
