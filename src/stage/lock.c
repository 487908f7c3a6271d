/* SPDX-License-Identifier: MIT */
/* lock.c - one process stages, the others wait for it */
#include "stage/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/clock.h"

enum { POLL_US = 2000, SLOWEST_POLL_US = 50000, BEAT_NS = 50 * 1000 * 1000 };

bool lc_stage_lock_is_named(int fd, int at, const char *name)
{
    struct stat mine, named;

    return fstat(fd, &mine) == 0 && fstatat(at, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
           mine.st_ino == named.st_ino && mine.st_dev == named.st_dev;
}

int lc_stage_lock_open(int at, const char *name)
{
    struct stat st;
    int fd = openat(at, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);

    if (fd < 0)
        return -1;
    int rc = fstat(fd, &st);
    if (rc == 0 && (!S_ISREG(st.st_mode) || st.st_uid != geteuid()))
        rc = (errno = EPERM, -1);
    if (rc == 0 && st.st_size < (off_t)sizeof(uint64_t))
        rc = ftruncate(fd, sizeof(uint64_t));
    if (rc == 0)
        return fd;
    int saved = errno;
    close(fd);
    errno = saved;
    return -1;
}

static uint64_t beat_read(int fd)
{
    uint64_t beat = 0;

    return pread(fd, &beat, sizeof(beat), 0) == (ssize_t)sizeof(beat) ? beat : 0;
}

static bool is_past(uint64_t since_ns, double seconds)
{
    return (double)(lc_clock_ns() - since_ns) > seconds * 1e9;
}

static int lock_wait(int fd, double patience_s, double most_s, bool (*done)(void *arg), void *arg)
{
    uint64_t beat = beat_read(fd), began = lc_clock_ns(), since = began;
    useconds_t pause = POLL_US;

    while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return -1;
        if (patience_s <= 0)
            return errno = EWOULDBLOCK, -1;
        if (done && done(arg))
            return LC_LOCK_NOT_NEEDED;
        uint64_t now = beat_read(fd);
        if (now != beat) {
            beat = now;
            since = lc_clock_ns();
        }
        if (is_past(since, patience_s) || (most_s > 0 && is_past(began, most_s)))
            return errno = ETIMEDOUT, -1;
        usleep(pause);
        pause = pause * 5 / 4 < SLOWEST_POLL_US ? pause * 5 / 4 : SLOWEST_POLL_US;
    }
    return 0;
}

int lc_stage_lock_take(struct lc_stage_lock *lock, int at, const char *name, double patience_s,
                       double most_s, bool (*done)(void *arg), void *arg)
{
    int rc = -1;

    *lock = (struct lc_stage_lock){.fd = -1};
    while ((lock->fd = lc_stage_lock_open(at, name)) >= 0) {
        rc = lock_wait(lock->fd, patience_s, most_s, done, arg);
        if (rc == 0 && lc_stage_lock_is_named(lock->fd, at, name))
            break;
        int saved = errno;
        close(lock->fd);
        lock->fd = -1;
        errno = saved;
        if (rc != 0)
            return rc;
    }
    if (lock->fd < 0)
        return -1;
    lock->beat = beat_read(lock->fd);
    lc_stage_lock_beat(lock);
    return 0;
}

/* If several threads call at once, one of them writes. */
void lc_stage_lock_beat(struct lc_stage_lock *lock)
{
    uint64_t now = lc_clock_ns(), last = __atomic_load_n(&lock->last_ns, __ATOMIC_RELAXED);

    if (lock->fd < 0 || (last && now - last < BEAT_NS) ||
        !__atomic_compare_exchange_n(&lock->last_ns, &last, now, 0, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED))
        return;
    uint64_t beat = __atomic_add_fetch(&lock->beat, 1, __ATOMIC_RELAXED);
    if (pwrite(lock->fd, &beat, sizeof(beat), 0) < 0)
        return; /* others may stop waiting; nothing else depends on it */
}

void lc_stage_lock_release(struct lc_stage_lock *lock)
{
    if (lock->fd >= 0)
        close(lock->fd);
    *lock = (struct lc_stage_lock){.fd = -1};
}
