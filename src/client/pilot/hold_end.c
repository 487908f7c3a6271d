/* SPDX-License-Identifier: MIT */
/* hold_end.c - hold up the end of a watched rank until its watcher has read the logs
 *
 * Slurm kills all processes of a step with its last rank, the watcher too. There it has left the
 * file LC_WATCHED_HOLD among its logs. The rank then makes LC_WATCHED_ENDING and waits until the
 * watcher has removed that, for a tenth of its own time at most, and never for more than a second.
 * Programs that it has started do not wait. */
#include <linux/fcntl.h>
#include <linux/time.h>

#include "client/pilot/note.h"
#include "client/pilot/watched.h"
#include "image/bytes.h"
#include "node/syscall.h"
#include "node/watched.h"

enum { PATH_BYTES = 4096, PART = 10, NAP_NS = 1000000 };

static const uint64_t longest_ns = 1000000000;
static uint64_t began_ns;

static uint64_t now_ns(void)
{
    struct __kernel_timespec now = {0};

    LC_SYS3(__NR_clock_gettime, CLOCK_MONOTONIC, &now, 0);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void lc_hold_begin(void)
{
    began_ns = now_ns();
}

/* Not on the stack: it may be that of a coroutine or a signal handler. All who fill them write the
 * same. */
static char hold[PATH_BYTES], ending[PATH_BYTES];

/* Is this process the rank itself? The directory's name ends with UID.PID.RANDOM. */
static bool is_rank(const char *dir)
{
    const char *dot[2] = {NULL, NULL};
    long pid = 0;

    for (const char *p = dir; *p; p++)
        if (*p == '.') {
            dot[0] = dot[1];
            dot[1] = p;
        }
    for (const char *p = dot[0] ? dot[0] + 1 : dot[1]; p && p < dot[1]; p++)
        pid = pid * 10 + (*p - '0');
    return pid > 0 && LC_SYS3(__NR_getpid, 0, 0, 0) == pid;
}

static bool path_compose(char out[PATH_BYTES], const char *dir, const char *name)
{
    size_t n = lc_bytes_length(dir), m = lc_bytes_length(name);

    if (n + m + 2 > PATH_BYTES)
        return false;
    lc_bytes_move(out, dir, n);
    out[n] = '/';
    lc_bytes_move(out + n + 1, name, m + 1);
    return true;
}

static void end_hold(void)
{
    const char *dir = lc_watched()->dir;

    if (!dir || !began_ns || lc_watched_is_filtered() || !is_rank(dir) ||
        !path_compose(hold, dir, LC_WATCHED_HOLD) || lc_sys_access(hold, 0) < 0 ||
        !path_compose(ending, dir, LC_WATCHED_ENDING))
        return;
    uint64_t end_ns = now_ns(), most_ns = (end_ns - began_ns) / PART;
    end_ns += most_ns < longest_ns ? most_ns : longest_ns;
    began_ns = 0; /* once */
    long fd = lc_sys_openat(LC_AT_FDCWD, ending, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return;
    lc_sys_close((int)fd);
    while (now_ns() < end_ns && lc_sys_access(ending, 0) == 0)
        LC_SYS3(__NR_nanosleep, (&(struct __kernel_timespec){0, NAP_NS}), 0, 0);
}

__attribute__((destructor)) static void pilot_end(void)
{
    end_hold();
}

/* These run no destructors. */
EXPORT(_Noreturn void, _exit, int status)
{
    end_hold();
    NEXT(void, _exit, (int))(status);
    __builtin_unreachable();
}

EXPORT(_Noreturn void, _Exit, int status)
{
    end_hold();
    NEXT(void, _Exit, (int))(status);
    __builtin_unreachable();
}
