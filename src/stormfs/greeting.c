/* SPDX-License-Identifier: MIT */
/* greeting.c - let the kernel look up in parallel
 *
 * libfuse before 3.17 knows FUSE_CAP_PARALLEL_DIROPS but never tells the kernel
 * (github.com/libfuse/libfuse/pull/861), which then sends one look-up per directory at a time: the
 * queue would be in the client, not at the server. So libfuse writes its answer into a pipe, put
 * in place of the FUSE device for that moment, and it is passed on with the flag added. */
#include "stormfs/greeting.h"

#define FUSE_USE_VERSION 35
#include <fuse_lowlevel.h>
#include <fcntl.h>
#include <stddef.h>
#include <linux/fuse.h>
#include <unistd.h>

struct answer {
    struct fuse_out_header head;
    struct fuse_init_out init;
};

static void pass_on(int from, int to)
{
    struct answer a;
    ssize_t n = read(from, &a, sizeof(a));

    if (n >= (ssize_t)(sizeof(a.head) + offsetof(struct fuse_init_out, flags) + 4) &&
        a.head.error == 0)
        a.init.flags |= FUSE_PARALLEL_DIROPS;
    if (n > 0 && write(to, &a, (size_t)n) < 0)
        return; /* unmounted meanwhile: the next read says so */
}

void lc_greeting_process(struct fuse_session *session, const struct fuse_buf *buf)
{
    int fd = fuse_session_fd(session), pipes[2];
    int device = fcntl(fd, F_DUPFD_CLOEXEC, 3);

    if (device < 0 || pipe2(pipes, O_CLOEXEC) < 0) {
        fuse_session_process_buf(session, buf); /* slower, but right */
        if (device >= 0)
            close(device);
        return;
    }
    dup3(pipes[1], fd, O_CLOEXEC);
    fuse_session_process_buf(session, buf);
    dup3(device, fd, O_CLOEXEC);
    pass_on(pipes[0], fd);
    close(device);
    close(pipes[0]);
    close(pipes[1]);
}
