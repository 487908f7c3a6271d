/* SPDX-License-Identifier: MIT */
/* beneath.c - open a path below a directory, without following links out of it */
#include "util/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "util/syscalls.h"

/* The kernel's struct open_how and RESOLVE_ flags, which older headers lack. */
struct how {
    uint64_t flags, mode, resolve;
};
enum { NO_MAGICLINKS = 2, NO_SYMLINKS = 4, BENEATH = 8 };

static bool is_upwards(const char *name)
{
    return strcmp(name, "..") == 0;
}

/* For kernels before 5.6, which lack openat2: open one component after the other. 'path' is
 * changed. */
static int open_by_components(int dir, char *path, int flags, mode_t mode)
{
    int at = dir;
    char *name = path;

    for (char *slash; (slash = strchr(name, '/')); name = slash + 1) {
        *slash = '\0';
        int next = is_upwards(name)
                       ? (errno = EXDEV, -1)
                       : openat(at, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        int saved = errno;
        if (at != dir)
            close(at);
        errno = saved;
        if (next < 0)
            return -1;
        at = next;
    }
    int fd = is_upwards(name) ? (errno = EXDEV, -1)
                              : openat(at, name, flags | O_NOFOLLOW | O_CLOEXEC, mode);
    int saved = errno;
    if (at != dir)
        close(at);
    errno = saved;
    return fd;
}

int lc_open_beneath(int dir, const char *path, int flags, mode_t mode)
{
    struct how how = {(unsigned)(flags | O_CLOEXEC), flags & O_CREAT ? mode : 0,
                      NO_MAGICLINKS | NO_SYMLINKS | BENEATH};
    char copy[PATH_MAX];
    size_t len = strlen(path);
    long fd = syscall(SYS_openat2, dir, path, &how, sizeof(how));

    /* Seccomp filters of containers answer EPERM for calls they do not know. */
    if (fd >= 0 || (errno != ENOSYS && errno != EPERM))
        return (int)fd;
    if (path[0] == '/' || len >= sizeof(copy))
        return errno = path[0] == '/' ? EXDEV : ENAMETOOLONG, -1;
    memcpy(copy, path, len + 1);
    return open_by_components(dir, copy, flags, mode);
}
