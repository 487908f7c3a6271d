/* SPDX-License-Identifier: MIT */
/* control.c - the control socket: where it is, and who may use it */
#include "stormfs/control.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "stormfs/mountinfo.h"
#include "util/path.h"

/* Absolute, as the process will leave its working directory. */
static void directory(char *out, size_t size)
{
    const char *dir = getenv("STORMFS_DIR");
    char here[PATH_MAX] = "/";

    if (dir && *dir && (*dir == '/' || getcwd(here, sizeof(here))) &&
        lc_path_absolute(out, size, here, dir) == 0)
        return;
    snprintf(out, size, "/tmp/stormfs-%ld", (long)geteuid());
}

/* Nobody but its owner may be able to put sockets there. */
static int check_directory(const char *dir, struct lc_error *err)
{
    struct stat st;

    if (lstat(dir, &st) < 0)
        return lc_error_errno(err, "cannot use the control directory '%s'", dir);
    errno = EPERM;
    if (!S_ISDIR(st.st_mode))
        return lc_error_set(err, "the control directory '%s' is not a directory", dir);
    if (st.st_uid != geteuid())
        return lc_error_set(err, "the control directory '%s' belongs to another user (%ld)", dir,
                            (long)st.st_uid);
    if (st.st_mode & 022)
        return lc_error_set(err, "the control directory '%s' can be written by other users", dir);
    return 0;
}

static uint64_t fnv(uint64_t h, const void *data, size_t len)
{
    const unsigned char *p = data;

    for (size_t i = 0; i < len; i++)
        h = (h ^ p[i]) * 0x100000001b3ull;
    return h;
}

/* The socket of a mount; 'here' distinguishes it by this mount namespace. */
static int address(struct sockaddr_un *out, const char *mount, bool here, struct lc_error *err)
{
    char dir[PATH_MAX], file[PATH_MAX + 32];
    uint64_t h = fnv(0xcbf29ce484222325ull, mount, strlen(mount));
    struct stat ns;

    if (here && stat("/proc/self/ns/mnt", &ns) == 0)
        h = fnv(h, &ns.st_ino, sizeof(ns.st_ino));
    directory(dir, sizeof(dir));
    snprintf(file, sizeof(file), "%s/%016" PRIx64 ".sock", dir, h);
    *out = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (strlen(file) >= sizeof(out->sun_path))
        return lc_error_set(err, "the control directory '%s' has too long a name for a socket",
                            dir);
    memcpy(out->sun_path, file, strlen(file) + 1);
    return 0;
}

static int new_socket(void)
{
    const struct timeval patience = {.tv_sec = 5};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd >= 0) {
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
    }
    return fd;
}

static int connect_to(const struct sockaddr_un *to)
{
    int fd = new_socket();

    if (fd < 0 || connect(fd, (const struct sockaddr *)to, sizeof(*to)) == 0)
        return fd;
    int saved = errno;
    close(fd);
    errno = saved;
    return -1;
}

static int bind_private(int fd, const struct sockaddr_un *at)
{
    mode_t old = umask(077);
    int rc = bind(fd, (const struct sockaddr *)at, sizeof(*at));

    umask(old);
    return rc;
}

/* The plain address, or the one of this namespace if the plain one is in use elsewhere. */
static int free_address(struct sockaddr_un *out, const char *mount, struct lc_error *err)
{
    if (address(out, mount, false, err) < 0)
        return -1;
    int other = connect_to(out);
    if (other >= 0) {
        close(other);
        if (address(out, mount, true, err) < 0)
            return -1;
    }
    unlink(out->sun_path); /* what a crash left */
    return 0;
}

int lc_control_listen(const char *mount, char **file, struct lc_error *err)
{
    char dir[PATH_MAX];
    struct sockaddr_un at;

    directory(dir, sizeof(dir));
    mkdir(dir, 0700);
    if (check_directory(dir, err) < 0 || free_address(&at, mount, err) < 0)
        return -1;
    int fd = new_socket();
    if (fd < 0 || bind_private(fd, &at) < 0 || listen(fd, 16) < 0) {
        lc_error_errno(err, "cannot make the control socket '%s'", at.sun_path);
        if (fd >= 0)
            close(fd);
        return -1;
    }
    *file = strdup(at.sun_path);
    return fd;
}

/* Is the other end this user's, or root's? */
static bool is_trusted(int fd, pid_t *pid)
{
    struct ucred peer;
    socklen_t len = sizeof(peer);

    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0)
        return false;
    if (pid)
        *pid = peer.pid;
    return peer.uid == geteuid() || peer.uid == 0;
}

int lc_control_accept(int listener)
{
    static const char refusal[] = "error: this stormfs belongs to another user\n";
    const struct timeval patience = {.tv_sec = 2};
    int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
    if (is_trusted(fd, NULL))
        return fd;
    if (write(fd, refusal, strlen(refusal)) < 0)
        errno = EPERM; /* then they are not even told */
    close(fd);
    return -1;
}

/* The descriptor, or -1 with errno, which is ENOENT or ECONNREFUSED if nobody listens. */
static int connect_either(const char *mount, struct lc_error *err)
{
    struct sockaddr_un at;

    if (address(&at, mount, true, err) < 0)
        return -1;
    int fd = connect_to(&at);
    if (fd < 0 && address(&at, mount, false, err) == 0)
        fd = connect_to(&at);
    return fd;
}

/* Why is there no socket? */
static int explain_absence(const char *mount, struct lc_error *err)
{
    struct lc_mountinfo info;

    if (!lc_mountinfo_find(mount, &info) || strcmp(info.type, "fuse.stormfs") != 0)
        return lc_error_set(err, "no stormfs is mounted on '%s'", mount);
    if (info.user_id >= 0 && info.user_id != (long)geteuid())
        return lc_error_set(err, "the stormfs on '%s' belongs to another user (%ld)", mount,
                            info.user_id);
    return lc_error_set(err,
                        "the stormfs on '%s' does not answer; it crashed, or was started with "
                        "another STORMFS_DIR",
                        mount);
}

int lc_control_connect(const char *mount, pid_t *pid, struct lc_error *err)
{
    char dir[PATH_MAX];
    struct stat st;

    directory(dir, sizeof(dir));
    if (lstat(dir, &st) < 0)
        return explain_absence(mount, err);
    if (check_directory(dir, err) < 0)
        return -1;
    int fd = connect_either(mount, err);
    if (fd < 0 && errno != ENOENT && errno != ECONNREFUSED)
        return lc_error_errno(err, "cannot reach the stormfs on '%s'", mount);
    if (fd < 0)
        return explain_absence(mount, err);
    if (is_trusted(fd, pid))
        return fd;
    close(fd);
    errno = EPERM;
    return lc_error_set(err, "the control socket of '%s' belongs to another user", mount);
}

bool lc_control_is_alive(const char *mount)
{
    pid_t pid;
    int fd = lc_control_connect(mount, &pid, NULL);

    if (fd >= 0)
        close(fd);
    return fd >= 0;
}
