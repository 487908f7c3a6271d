/* SPDX-License-Identifier: MIT */
/* shared_use.c - several runs of one image at a time, outside a job: the last one cleans
 *
 * Each run holds a shared lock on /tmp/.loadcast-run.UID.KEY on the machine where it runs. At its
 * end it tries to lock exclusively; that succeeds for the last run only, which then cleans. The
 * kernel drops the lock when a process ends, however it ends. Without a lock file every run behaves
 * as if it were the only one. */
#include "launch/job_run.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "image/hash.h"
#include "stage/lock.h"

/* How long to wait for a run that is cleaning: 30 s. */
enum { PAUSE_US = 20000, TRIES = 1500 };

/* The key is made of image, nodes and directory: only runs that share all three share a lock. */
static void lock_name(struct lc_job_run *run)
{
    char *nodes = lc_job_run_name_nodes(run);

    snprintf(run->share.path, sizeof(run->share.path), "/tmp/.loadcast-run.%lu.%016" PRIx64,
             (unsigned long)geteuid(),
             run->staging.id ^ (nodes ? lc_hash(nodes, strlen(nodes)) : 0));
    free(nodes);
}

/* A descriptor, or -1 with errno: EWOULDBLOCK another run has it, ENOENT the file was removed by
 * its last holder just now. */
static int lock_open(const char *path, int how)
{
    int fd = lc_stage_lock_open(AT_FDCWD, path);
    if (fd < 0)
        return -1;
    int rc = flock(fd, how | LOCK_NB);
    if (rc == 0 && !lc_stage_lock_is_named(fd, AT_FDCWD, path))
        rc = (errno = ENOENT, -1);
    if (rc == 0)
        return fd;
    int saved = errno;
    close(fd);
    errno = saved;
    return -1;
}

static void share_begin(struct lc_shared_use *share)
{
    for (int i = 0; share->lock < 0 && i < TRIES; i++) {
        share->lock = lock_open(share->path, LOCK_SH);
        if (share->lock < 0 && errno != EWOULDBLOCK && errno != ENOENT)
            return;
        if (share->lock < 0)
            usleep(PAUSE_US);
    }
}

void lc_shared_use_begin(struct lc_job_run *run)
{
    lc_cleaning_wait(run->staging.dir);
    lock_name(run);
    share_begin(&run->share);
}

/* Processes that clean behind a run hold a shared lock on this file. */
static struct lc_shared_use cleaning_name(const char *dir)
{
    struct lc_shared_use cleaning = {.lock = -1};

    snprintf(cleaning.path, sizeof(cleaning.path), "/tmp/.loadcast-clean.%lu.%016" PRIx64,
             (unsigned long)geteuid(), lc_hash(dir, strlen(dir)));
    return cleaning;
}

void lc_cleaning_begin(struct lc_shared_use *cleaning, const char *dir)
{
    *cleaning = cleaning_name(dir);
    share_begin(cleaning);
}

void lc_cleaning_wait(const char *dir)
{
    struct lc_shared_use cleaning = cleaning_name(dir);

    if (access(cleaning.path, F_OK) < 0)
        return;
    for (int i = 0; i < TRIES && !lc_shared_use_take_over(&cleaning); i++)
        usleep(PAUSE_US);
    lc_shared_use_end(&cleaning);
}

bool lc_shared_use_is_last(struct lc_shared_use *share)
{
    if (share->lock < 0 || share->is_exclusive)
        return true;
    share->is_exclusive = flock(share->lock, LOCK_EX | LOCK_NB) == 0;
    if (!share->is_exclusive)
        lc_shared_use_end(share); /* the failed attempt has dropped the shared lock */
    return share->is_exclusive;
}

void lc_shared_use_hand_over(struct lc_shared_use *share)
{
    if (share->lock >= 0)
        close(share->lock);
    share->lock = -1;
}

void lc_shared_use_release(struct lc_shared_use *share)
{
    share->is_exclusive = false;
    lc_shared_use_end(share);
}

bool lc_shared_use_take_over(struct lc_shared_use *share)
{
    if (!share->path[0])
        return true;
    share->lock = lock_open(share->path, LOCK_EX);
    share->is_exclusive = share->lock >= 0;
    return share->is_exclusive || errno != EWOULDBLOCK;
}

void lc_shared_use_end(struct lc_shared_use *share)
{
    if (share->lock >= 0 && share->is_exclusive)
        unlink(share->path);
    if (share->lock >= 0)
        close(share->lock);
    share->lock = -1;
}
