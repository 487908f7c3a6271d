/* SPDX-License-Identifier: MIT */
/* mount.c - one mount point: session, workers, unmounting
 *
 * The request loop is our own because versions of libfuse differ in how many threads they allow,
 * and each request that waits for the simulated server occupies a thread. A worker that receives a
 * request while no other worker is idle starts one more. */
#include "stormfs/mount.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/fuse.h>

#include "stormfs/init_reply.h"
#include "stormfs/mountinfo.h"
#include "stormfs/ops.h"
#include "stormfs/request.h"

static int worker_start(struct lc_storm_mount *mount);

static void gone_report(struct lc_storm_mount *mount)
{
    const uint64_t one = 1;

    atomic_store(&mount->is_gone, true);
    if (write(mount->storm->event_fd, &one, sizeof(one)) < 0)
        return; /* the counter is full, so the main thread wakes up anyway */
}

static uint32_t request_opcode(const struct fuse_buf *buf)
{
    const struct fuse_in_header *in = buf->mem;

    return buf->size >= sizeof(*in) ? in->opcode : FUSE_FORGET;
}

static void request_process(struct lc_storm_mount *mount, struct fuse_buf *buf)
{
    lc_request_arrived(mount, lc_op_of_opcode(request_opcode(buf)));
    fuse_session_process_buf(mount->session, buf);
    lc_request_done();
}

static void *worker_run(void *arg)
{
    struct lc_storm_mount *mount = arg;
    struct fuse_buf buf = {0};

    for (;;) {
        atomic_fetch_add(&mount->idle_threads, 1);
        int n = fuse_session_receive_buf(mount->session, &buf);
        int left = atomic_fetch_sub(&mount->idle_threads, 1) - 1;
        if (n == -EINTR || n == -EAGAIN)
            continue;
        if (n <= 0)
            break;
        if (request_opcode(&buf) == FUSE_INIT) {
            lc_init_reply_process(mount->session, &buf);
            continue;
        }
        if (left == 0)
            worker_start(mount);
        request_process(mount, &buf);
    }
    gone_report(mount);
    free(buf.mem);
    lc_op_thread_end();
    return NULL;
}

/* Starts one more worker thread, up to the limit of --threads. 0, or an errno value. */
static int worker_start(struct lc_storm_mount *mount)
{
    pthread_t thread;

    if (atomic_fetch_add(&mount->threads, 1) >= (int)mount->storm->options->threads) {
        atomic_fetch_sub(&mount->threads, 1);
        return EAGAIN;
    }
    int rc = pthread_create(&thread, NULL, worker_run, mount);
    if (rc == 0)
        pthread_detach(thread);
    else
        atomic_fetch_sub(&mount->threads, 1);
    return rc;
}

static struct fuse_session *session_create(struct lc_storm_mount *mount)
{
    const struct fuse_lowlevel_ops ops = lc_ops_table(mount->storm->options->rw);
    char options[160];
    char *argv[] = {"stormfs", "-o", options, NULL};
    struct fuse_args args = FUSE_ARGS_INIT(3, argv);

    snprintf(options, sizeof(options), "fsname=stormfs,subtype=stormfs,default_permissions%s%s",
             mount->storm->options->rw ? "" : ",ro", geteuid() == 0 ? ",allow_other" : "");
    struct fuse_session *session = fuse_session_new(&args, &ops, sizeof(ops), mount);
    fuse_opt_free_args(&args);
    return session;
}

/* libfuse and fusermount3 print errors on stderr. They are captured, and the first line becomes
 * part of our error message. */
struct capture {
    int memory, saved_stderr;
};

static struct capture capture_begin(void)
{
    struct capture c = {memfd_create("stderr", MFD_CLOEXEC), fcntl(2, F_DUPFD_CLOEXEC, 3)};

    if (c.memory >= 0 && c.saved_stderr >= 0)
        dup2(c.memory, 2);
    return c;
}

static void capture_end(struct capture *c, char *line, size_t size)
{
    ssize_t n = c->memory >= 0 ? pread(c->memory, line, size - 1, 0) : 0;

    line[n > 0 ? n : 0] = '\0';
    line[strcspn(line, "\n")] = '\0';
    if (c->saved_stderr >= 0) {
        dup2(c->saved_stderr, 2);
        close(c->saved_stderr);
    }
    if (c->memory >= 0)
        close(c->memory);
}

int lc_mount_start(struct lc_storm_mount *mount, struct lc_error *err)
{
    char line[256];
    struct capture c = capture_begin();

    mount->session = session_create(mount);
    int rc = mount->session ? fuse_session_mount(mount->session, mount->path) : -1;
    int saved = errno;
    capture_end(&c, line, sizeof(line));
    if (rc == 0)
        return 0;
    if (mount->session)
        fuse_session_destroy(mount->session);
    mount->session = NULL;
    return lc_error_set(err, "cannot mount on '%s': %s", mount->path,
                        *line ? line : strerror(saved));
}

int lc_mount_serve(struct lc_storm_mount *mount, struct lc_error *err)
{
    errno = worker_start(mount);
    return errno == 0 ? 0 : lc_error_errno(err, "cannot start a thread for '%s'", mount->path);
}

static int fusermount_run(const char *path)
{
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        int null = open("/dev/null", O_RDWR);
        dup2(null, 0);
        dup2(null, 1);
        dup2(null, 2);
        execl("/usr/bin/fusermount3", "fusermount3", "-u", "-q", "-z", "--", path, (char *)NULL);
        execlp("fusermount3", "fusermount3", "-u", "-q", "-z", "--", path, (char *)NULL);
        _exit(127);
    }
    if (pid < 0 || waitpid(pid, &status, 0) < 0)
        return -1;
    return status == 0 ? 0 : -1;
}

int lc_mount_detach(const char *path)
{
    if (umount2(path, MNT_DETACH | UMOUNT_NOFOLLOW) == 0)
        return 0;
    return fusermount_run(path);
}

void lc_mount_stop(struct lc_storm_mount *mount)
{
    struct lc_mountinfo info;

    if (!mount->session || atomic_load(&mount->is_gone))
        return;
    if (lc_mountinfo_find(mount->path, &info) && strcmp(info.type, "fuse.stormfs") == 0)
        lc_mount_detach(mount->path);
}
