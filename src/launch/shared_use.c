/* SPDX-License-Identifier: MIT */
/* shared_use.c - several runs of one image at a time, outside a job: the last one cleans
 *
 * Each holds a shared lock of /tmp/.loadcast-run.UID.KEY on the machine where it runs; who gets it
 * for himself is the last. A lock goes with its process, however that ends. Where it cannot be had,
 * all is as if there were no other run. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "launch/job_run.h"
#include "image/hash.h"
#include "stage/lock.h"

/* A run that cleans is waited for, but not for ever. */
enum { PAUSE_US = 20000, TRIES = 1500 };

static int lock = -1;
static bool is_alone;
static char path[80];

/* By image, nodes and directory: who uses others does not clean ours. */
static void name_lock(const struct lc_run *run)
{
    char *nodes = lc_run_name_nodes(run);

    snprintf(path, sizeof(path), "/tmp/.loadcast-run.%lu.%016" PRIx64, (unsigned long)geteuid(),
             run->cast.id ^ (nodes ? lc_hash(nodes, strlen(nodes)) : 0));
    free(nodes);
}

/* A descriptor, or -1 with errno: EWOULDBLOCK others have it, ENOENT who had it has removed it just
 * now. */
static int open_locked(int how)
{
    int fd = lc_lock_open(AT_FDCWD, path);
    if (fd < 0)
        return -1;
    int rc = flock(fd, how | LOCK_NB);
    if (rc == 0 && !lc_lock_is_named(fd, AT_FDCWD, path))
        rc = (errno = ENOENT, -1);
    if (rc == 0)
        return fd;
    int saved = errno;
    close(fd);
    errno = saved;
    return -1;
}

void lc_run_share_begin(const struct lc_run *run)
{
    name_lock(run);
    for (int i = 0; lock < 0 && i < TRIES; i++) {
        lock = open_locked(LOCK_SH);
        if (lock < 0 && errno != EWOULDBLOCK && errno != ENOENT)
            return;
        if (lock < 0)
            usleep(PAUSE_US);
    }
}

bool lc_run_share_is_last(void)
{
    if (lock < 0 || is_alone)
        return true;
    is_alone = flock(lock, LOCK_EX | LOCK_NB) == 0;
    if (!is_alone)
        lc_run_share_end(); /* the shared lock is lost by the attempt */
    return is_alone;
}

void lc_run_share_let_go(void)
{
    is_alone = false;
    lc_run_share_end();
}

bool lc_run_share_take_over(void)
{
    if (!path[0])
        return true;
    lock = open_locked(LOCK_EX);
    is_alone = lock >= 0;
    return is_alone || errno != EWOULDBLOCK;
}

void lc_run_share_end(void)
{
    if (lock >= 0 && is_alone)
        unlink(path);
    if (lock >= 0)
        close(lock);
    lock = -1;
}

int lc_run_share_fd(void)
{
    return lock;
}
