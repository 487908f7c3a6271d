/* SPDX-License-Identifier: MIT */
/* init_reply.c - the answer to the kernel's INIT, with FUSE_PARALLEL_DIROPS added
 *
 * libfuse before 3.17 knows FUSE_CAP_PARALLEL_DIROPS but never tells the kernel
 * (github.com/libfuse/libfuse/pull/861), so the kernel sends only one look-up per directory at a
 * time, and requests would queue in the client instead of at the server. Here the session's
 * descriptor is replaced by a pipe while libfuse writes its answer; the flag is added to the bytes
 * in the pipe, which then go to the FUSE device. */
#include "stormfs/init_reply.h"

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

static void reply_forward(int from, int to)
{
    struct answer a;
    ssize_t n = read(from, &a, sizeof(a));

    if (n >= (ssize_t)(sizeof(a.head) + offsetof(struct fuse_init_out, flags) + 4) &&
        a.head.error == 0)
        a.init.flags |= FUSE_PARALLEL_DIROPS;
    if (n > 0 && write(to, &a, (size_t)n) < 0)
        return; /* unmounted meanwhile: the next read from the device fails */
}

void lc_init_reply_process(struct fuse_session *session, const struct fuse_buf *buf)
{
    int fd = fuse_session_fd(session), pipes[2];
    int device = fcntl(fd, F_DUPFD_CLOEXEC, 3);

    if (device < 0 || pipe2(pipes, O_CLOEXEC) < 0) {
        fuse_session_process_buf(session, buf); /* without the flag: slower, but correct */
        if (device >= 0)
            close(device);
        return;
    }
    dup3(pipes[1], fd, O_CLOEXEC);
    fuse_session_process_buf(session, buf);
    dup3(device, fd, O_CLOEXEC);
    reply_forward(pipes[0], fd);
    close(device);
    close(pipes[0]);
    close(pipes[1]);
}
