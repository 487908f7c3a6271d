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

/* The directory of the control sockets, as an absolute path: the background process changes its
 * working directory. */
static void control_dir(char *out, size_t size)
{
    const char *dir = getenv("STORMFS_DIR");
    char here[PATH_MAX] = "/";

    if (dir && *dir && (*dir == '/' || getcwd(here, sizeof(here))) &&
        lc_path_absolute(out, size, here, dir) == 0)
        return;
    snprintf(out, size, "/tmp/stormfs-%ld", (long)geteuid());
}

/* The directory must belong to this user and be writable by nobody else, so that no other user can
 * put a socket there. */
static int control_dir_check(const char *dir, struct lc_error *err)
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

static uint64_t fnv_hash(uint64_t h, const void *data, size_t len)
{
    const unsigned char *p = data;

    for (size_t i = 0; i < len; i++)
        h = (h ^ p[i]) * 0x100000001b3ull;
    return h;
}

/* The address of the control socket of a mount. With 'here' the socket's name depends on the mount
 * namespace of this process too. */
static int socket_address(struct sockaddr_un *out, const char *mount, bool here,
                          struct lc_error *err)
{
    char dir[PATH_MAX], file[PATH_MAX + 32];
    uint64_t h = fnv_hash(0xcbf29ce484222325ull, mount, strlen(mount));
    struct stat ns;

    if (here && stat("/proc/self/ns/mnt", &ns) == 0)
        h = fnv_hash(h, &ns.st_ino, sizeof(ns.st_ino));
    control_dir(dir, sizeof(dir));
    snprintf(file, sizeof(file), "%s/%016" PRIx64 ".sock", dir, h);
    *out = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (strlen(file) >= sizeof(out->sun_path))
        return lc_error_set(err, "the control directory '%s' has too long a name for a socket",
                            dir);
    memcpy(out->sun_path, file, strlen(file) + 1);
    return 0;
}

static int socket_create(void)
{
    const struct timeval patience = {.tv_sec = 5};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd >= 0) {
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
    }
    return fd;
}

static int socket_connect(const struct sockaddr_un *to)
{
    int fd = socket_create();

    if (fd < 0 || connect(fd, (const struct sockaddr *)to, sizeof(*to)) == 0)
        return fd;
    int saved = errno;
    close(fd);
    errno = saved;
    return -1;
}

static int socket_bind_private(int fd, const struct sockaddr_un *at)
{
    mode_t old = umask(077);
    int rc = bind(fd, (const struct sockaddr *)at, sizeof(*at));

    umask(old);
    return rc;
}

/* An address to listen on: the one that depends on the mount's path alone or, if a stormfs in
 * another mount namespace listens there, the one of this namespace. */
static int socket_address_unused(struct sockaddr_un *out, const char *mount, struct lc_error *err)
{
    if (socket_address(out, mount, false, err) < 0)
        return -1;
    int other = socket_connect(out);
    if (other >= 0) {
        close(other);
        if (socket_address(out, mount, true, err) < 0)
            return -1;
    }
    unlink(out->sun_path); /* a crashed stormfs may have left it */
    return 0;
}

int lc_control_listen(const char *mount, char **file, struct lc_error *err)
{
    char dir[PATH_MAX];
    struct sockaddr_un at;

    control_dir(dir, sizeof(dir));
    mkdir(dir, 0700);
    if (control_dir_check(dir, err) < 0 || socket_address_unused(&at, mount, err) < 0)
        return -1;
    int fd = socket_create();
    if (fd < 0 || socket_bind_private(fd, &at) < 0 || listen(fd, 16) < 0) {
        lc_error_errno(err, "cannot make the control socket '%s'", at.sun_path);
        if (fd >= 0)
            close(fd);
        return -1;
    }
    *file = strdup(at.sun_path);
    return fd;
}

/* Does the process at the other end run as this user or as root? */
static bool peer_is_trusted(int fd, pid_t *pid)
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
    if (peer_is_trusted(fd, NULL))
        return fd;
    if (write(fd, refusal, strlen(refusal)) < 0)
        errno = EPERM; /* the refusal could not be sent; the connection is closed anyway */
    close(fd);
    return -1;
}

/* Connects to the socket of this mount namespace, else to the one without a namespace. Returns the
 * descriptor, or -1 with errno: ENOENT or ECONNREFUSED if no process listens. */
static int mount_connect(const char *mount, struct lc_error *err)
{
    struct sockaddr_un at;

    if (socket_address(&at, mount, true, err) < 0)
        return -1;
    int fd = socket_connect(&at);
    if (fd < 0 && socket_address(&at, mount, false, err) == 0)
        fd = socket_connect(&at);
    return fd;
}

/* Fills err with the reason why no stormfs answers for 'mount'. */
static int absence_explain(const char *mount, struct lc_error *err)
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

    control_dir(dir, sizeof(dir));
    if (lstat(dir, &st) < 0)
        return absence_explain(mount, err);
    if (control_dir_check(dir, err) < 0)
        return -1;
    int fd = mount_connect(mount, err);
    if (fd < 0 && errno != ENOENT && errno != ECONNREFUSED)
        return lc_error_errno(err, "cannot reach the stormfs on '%s'", mount);
    if (fd < 0)
        return absence_explain(mount, err);
    if (peer_is_trusted(fd, pid))
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
