/* SPDX-License-Identifier: MIT */
/* service.c - what a stormfs process does: prepare -> mount -> ready -> loop -> stop */
#include "stormfs/service.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stormfs/checks.h"
#include "stormfs/control.h"
#include "stormfs/ctl.h"
#include "stormfs/mount.h"
#include "stormfs/storm.h"
#include "stormfs/pidfd.h"

enum { READY_PATIENCE_MS = 30000 };

/* Indexes into watch[]: the descriptors that the main thread polls. */
enum { ON_SIGNAL, ON_EVENT, ON_PID, ON_CONTROL, WATCHED = ON_CONTROL + LC_MOST_MOUNTS };

struct lc_service {
    struct lc_storm storm;
    struct lc_storm_mount mount[LC_MOST_MOUNTS];
    char *socket[LC_MOST_MOUNTS];
    struct pollfd watch[WATCHED];
    char source[PATH_MAX];
    pid_t look_for; /* end when this process has ended; checked every second; 0: none */
    int stop_fd;    /* connection of the client that sent 'stop' and waits for the answer; or -1 */
};

/* Allows as many descriptors as possible, since every file that a client has open needs one; also
 * sets timer slack and umask. */
static void process_limits_set(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    prctl(PR_SET_TIMERSLACK, 1ul); /* ns: wake up when the request is served, not 50 us later */
    umask(0);                      /* the client's umask is applied to modes already */
}

static int signals_watch(void)
{
    sigset_t set;

    signal(SIGPIPE, SIG_IGN);
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGQUIT);
    sigprocmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_CLOEXEC);
}

/* Ends stormfs when process 'pid' ends. On kernels without pidfd_open the loop checks every second
 * whether the process exists. */
static int pid_watch(struct lc_service *s, pid_t pid, struct lc_error *err)
{
    int fd = lc_pidfd_open(pid);

    if (fd < 0 && errno == ENOSYS && lc_process_exists(pid))
        s->look_for = pid;
    else if (fd < 0)
        return lc_error_errno(err, "cannot watch process %ld", (long)pid);
    s->watch[ON_PID] = (struct pollfd){.fd = fd, .events = POLLIN};
    return 0;
}

/* Checks each mount point, and that none is given twice. */
static int mount_points_check(struct lc_service *s, struct lc_error *err)
{
    const struct lc_options *o = s->storm.options;
    char path[PATH_MAX];

    for (size_t i = 0; i < o->mounts; i++) {
        if (lc_mount_point_check(o->mount[i], s->source, path, sizeof(path), err) < 0)
            return -1;
        for (size_t k = 0; k < i; k++)
            if (strcmp(s->mount[k].path, path) == 0)
                return lc_error_set(err, "the mount point '%s' is given twice", o->mount[i]);
        s->mount[i] = (struct lc_storm_mount){.storm = &s->storm, .index = (unsigned)i};
        s->mount[i].path = strdup(path);
        s->storm.mounts = i + 1;
    }
    return 0;
}

static int sockets_listen(struct lc_service *s, struct lc_error *err)
{
    for (size_t i = 0; i < s->storm.mounts; i++) {
        int fd = lc_control_listen(s->mount[i].path, &s->socket[i], err);
        if (fd < 0)
            return -1;
        s->watch[ON_CONTROL + i] = (struct pollfd){.fd = fd, .events = POLLIN};
    }
    return 0;
}

static int service_prepare(struct lc_service *s, struct lc_options *o, struct lc_error *err)
{
    const struct lc_server_model model = lc_options_server_model(o);

    process_limits_set();
    s->storm.options = o;
    s->storm.mount = s->mount;
    s->storm.latency_ns = (uint64_t)(o->profile.latency_us * 1e3 + 0.5);
    if (o->once && lc_once_add(&s->storm.once, o->once, err) < 0)
        return -1;
    int root_fd = lc_source_check(o->source, s->source, sizeof(s->source), err);
    if (root_fd < 0 || lc_fuse_check(err) < 0 || mount_points_check(s, err) < 0)
        return -1;
    o->source = s->source;
    s->storm.inodes = lc_inodes_create(root_fd);
    if (!s->storm.inodes)
        return lc_error_errno(err, "cannot read the source '%s'", s->source);
    if (lc_server_open(&s->storm.server, o->server, &model, err) < 0)
        return -1;
    s->watch[ON_SIGNAL] = (struct pollfd){.fd = signals_watch(), .events = POLLIN};
    s->storm.event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    s->watch[ON_EVENT] = (struct pollfd){.fd = s->storm.event_fd, .events = POLLIN};
    if (o->until_pid && pid_watch(s, (pid_t)o->until_pid, err) < 0)
        return -1;
    return sockets_listen(s, err);
}

/* Unmounts everything and removes the sockets, however far the start went. Memory is not freed: the
 * process ends soon. */
static void service_stop(struct lc_service *s)
{
    for (size_t i = 0; i < s->storm.mounts; i++)
        lc_mount_stop(&s->mount[i]);
    for (size_t i = 0; i < s->storm.mounts; i++)
        if (s->socket[i])
            unlink(s->socket[i]);
    lc_server_leave(&s->storm.server);
    if (s->stop_fd >= 0)
        lc_ctl_confirm(s->stop_fd);
}

static size_t count_mounts(const struct lc_service *s, size_t offset)
{
    size_t n = 0;

    for (size_t i = 0; i < s->storm.mounts; i++)
        n += atomic_load((const _Atomic bool *)((const char *)&s->mount[i] + offset));
    return n;
}

static size_t ready_mounts(const struct lc_service *s)
{
    return count_mounts(s, offsetof(struct lc_storm_mount, is_ready));
}

static size_t gone_mounts(const struct lc_service *s)
{
    return count_mounts(s, offsetof(struct lc_storm_mount, is_gone));
}

static void events_drain(const struct lc_service *s)
{
    uint64_t n;

    if (read(s->storm.event_fd, &n, sizeof(n)) < 0)
        return; /* nothing there */
}

/* Waits until the kernel has sent INIT to every mount. */
static int mounts_wait_ready(struct lc_service *s, struct lc_error *err)
{
    while (ready_mounts(s) < s->storm.mounts) {
        int n = poll(s->watch, ON_EVENT + 1, READY_PATIENCE_MS);
        if (n == 0)
            return lc_error_set(err, "the kernel does not take up the mount");
        if (n < 0 || s->watch[ON_SIGNAL].revents || gone_mounts(s) > 0)
            return lc_error_set(err, "ended before everything was mounted");
        events_drain(s);
    }
    return 0;
}

static int mounts_start(struct lc_service *s, struct lc_error *err)
{
    for (size_t i = 0; i < s->storm.mounts; i++)
        if (lc_mount_start(&s->mount[i], err) < 0)
            return -1;
    for (size_t i = 0; i < s->storm.mounts; i++)
        if (lc_mount_serve(&s->mount[i], err) < 0)
            return -1;
    return mounts_wait_ready(s, err);
}

/* Answers commands on the control sockets. True if one was 'stop'. */
static bool controls_answer(struct lc_service *s)
{
    for (size_t i = 0; i < s->storm.mounts; i++) {
        if (!s->watch[ON_CONTROL + i].revents)
            continue;
        int fd = lc_control_accept(s->watch[ON_CONTROL + i].fd);
        if (fd < 0)
            continue;
        if (lc_ctl_answer(&s->storm, fd)) {
            s->stop_fd = fd;
            return true;
        }
        close(fd);
    }
    return false;
}

/* Returns upon a signal, 'stop', the end of the watched process, or when all is unmounted. */
static void service_loop(struct lc_service *s)
{
    for (;;) {
        int n = poll(s->watch, ON_CONTROL + s->storm.mounts, s->look_for ? 1000 : -1);
        if (n < 0 && errno == EINTR)
            continue;
        if (s->look_for && !lc_process_exists(s->look_for))
            return;
        if (n < 0 || s->watch[ON_SIGNAL].revents || s->watch[ON_PID].revents)
            return;
        if (s->watch[ON_EVENT].revents)
            events_drain(s);
        if (gone_mounts(s) == s->storm.mounts || controls_answer(s))
            return;
    }
}

static struct lc_service *service_create(void)
{
    struct lc_service *s = calloc(1, sizeof(*s));

    for (int i = 0; s && i < WATCHED; i++)
        s->watch[i].fd = -1;
    if (s)
        s->stop_fd = -1;
    return s;
}

struct lc_service *lc_service_start(struct lc_options *o, struct lc_error *err)
{
    struct lc_service *s = service_create();

    if (!s) {
        lc_error_errno(err, "cannot start");
        return NULL;
    }
    if (service_prepare(s, o, err) == 0 && mounts_start(s, err) == 0)
        return s;
    service_stop(s);
    return NULL;
}

/* exit() ends the worker threads, which may still wait, and closes their connections. */
void lc_service_run(struct lc_service *s)
{
    service_loop(s);
    service_stop(s);
    exit(0);
}
