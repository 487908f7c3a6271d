/* SPDX-License-Identifier: MIT */
/* run_guard.c - if 'loadcast run' is killed, what it staged still goes out of the nodes' memory
 *
 * A process beside it waits at a pipe for the word that all is well. If the pipe closes without it,
 * there is nobody else to clean. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/run.h"
#include "trace/guard.h"
#include "util/syscalls.h"

/* Ranks end some time after their launcher was told to: what they use is not removed. */
enum { TRIES = 4, PAUSE_S = 2 };

static struct {
    pid_t pid;
    int word; /* our end of the pipe */
} guard = {0, -1};

/* Is it gone from all nodes? Where the launcher reaches none, from this machine. */
static bool clean_once(struct lc_cast *cast)
{
    struct lc_cast_report report;
    struct lc_error err;
    bool is_gone = false;

    for (int i = 0; i < 2 && !is_gone; i++) {
        int rc = lc_cast_end(cast, false, false, true, &report, &err);
        is_gone = rc == 0 && report.ok == 0;
        lc_cast_report_free(&report);
        if (rc == 0)
            break;
        cast->with = "";
    }
    return is_gone;
}

static void clean(struct lc_cast *cast, const char *dir)
{
    bool is_gone = false;

    cast->dir = dir;
    for (int i = 0; i < TRIES && !is_gone; i++) {
        sleep(PAUSE_S);
        is_gone = clean_once(cast);
    }
}

/* All above standard error but two; an old kernel keeps them. */
static void close_but(int a, int b)
{
    const int low = a < b ? a : b, high = a < b ? b : a;
    unsigned from = 3;

    for (int i = 0; i < 2; i++) {
        int keep = i == 0 ? low : high;
        if (keep > (int)from)
            syscall(SYS_close_range, from, (unsigned)keep - 1, 0);
        if (keep >= (int)from)
            from = (unsigned)keep + 1;
    }
    syscall(SYS_close_range, from, ~0u, 0);
}

void lc_run_close_others(void)
{
    close_but(guard.word, lc_run_share_fd());
}

/* No terminal's signals, nobody's pipe or lock held open. */
static void step_aside(int keep)
{
    setsid();
    lc_guard_close_streams();
    close_but(keep, -1);
}

_Noreturn static void watch(const struct lc_run *run, const char *or_dir, int fd)
{
    struct lc_cast cast = run->cast;
    const char *dir = cast.dir;
    char word;
    ssize_t n;

    lc_run_share_let_go();
    step_aside(fd);
    while ((n = read(fd, &word, 1)) < 0 && errno == EINTR)
        ;
    if (n != 0)
        _exit(0);
    cast.progress = NULL;
    sleep(PAUSE_S); /* what the dead one held is let go of in its own time */
    if (!lc_run_share_take_over())
        _exit(0); /* others run from it: the last of them cleans */
    clean(&cast, dir);
    if (or_dir)
        clean(&cast, or_dir);
    if (run->is_overlay)
        unlink(run->use);
    lc_run_share_end();
    _exit(0);
}

void lc_run_guard_begin(const struct lc_run *run, const char *or_dir)
{
    int p[2];

    lc_run_guard_end();
    if (pipe2(p, O_CLOEXEC) < 0)
        return;
    fflush(NULL);
    guard.pid = fork();
    if (guard.pid == 0) {
        close(p[1]);
        watch(run, or_dir, p[0]);
    }
    close(p[0]);
    guard.word = p[1];
}

void lc_run_guard_end(void)
{
    if (guard.word < 0)
        return;
    ssize_t n = write(guard.word, "", 1); /* if it is gone, it needs no word; SIGPIPE is ignored */
    (void)n;
    close(guard.word);
    guard.word = -1;
    while (guard.pid > 0 && waitpid(guard.pid, NULL, 0) < 0 && errno == EINTR)
        ;
    guard.pid = 0;
}

void lc_run_clean_here(const struct lc_run *run)
{
    struct lc_cast here = run->cast;

    here.with = "";
    if (!clean_once(&here) && !clean_once(&here)) /* the second sees what the first removed */
        lc_run_guard_leave(run);
}

void lc_run_guard_leave(const struct lc_run *run)
{
    if (guard.word < 0)
        lc_run_guard_begin(run, NULL);
    lc_run_share_end();
    if (guard.word >= 0)
        close(guard.word);
    guard.word = -1;
    guard.pid = 0;
}
