/* SPDX-License-Identifier: MIT */
/* cleanup_guard.c - cleans the nodes' memory if 'loadcast run' is killed, and behind it
 *
 * A child of 'loadcast run' reads from a pipe. One byte means that all is well, and the child ends.
 * If the pipe closes without that byte, 'loadcast run' was killed and the child cleans. */
#include "launch/job_run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/process.h"
#include "util/syscalls.h"

/* Ranks may run on for some time after their launcher was killed, and a directory in use is not
 * removed: try again. */
enum { TRIES = 4, PAUSE_S = 2 };

/* Does any node still have the image, because a process uses it? */
static bool is_still_there(const struct lc_staging_report *report)
{
    const json_t *node;
    size_t i;

    json_array_foreach(report->nodes, i, node)
    {
        if (json_is_true(json_object_get(node, "ok")) &&
            !json_is_true(json_object_get(node, "removed")))
            return true;
    }
    return false;
}

/* Remove it from all nodes, or from this machine where the launcher reaches none; 'told' (may be
 * NULL) gets what the nodes reported, and is freed by the caller. False if some node still has it,
 * or none could be asked. */
static bool nodes_clean_once(struct lc_job_staging *staging, struct lc_staging_report *told)
{
    struct lc_staging_report report;
    struct lc_error err;
    bool is_gone = false;

    for (int i = 0; i < 2 && !is_gone; i++) {
        int rc = lc_nodes_visit(staging, false, false, true, &report, &err);
        is_gone = rc == 0 && !is_still_there(&report);
        if (told && rc == 0)
            *told = report;
        else
            lc_staging_report_free(&report);
        if (rc == 0)
            break;
        staging->with = "";
    }
    return is_gone;
}

static void nodes_clean(struct lc_job_staging *staging, const char *dir)
{
    bool is_gone = false;

    staging->dir = dir;
    for (int i = 0; i < TRIES && !is_gone; i++) {
        sleep(PAUSE_S);
        is_gone = nodes_clean_once(staging, NULL);
    }
}

void lc_cleanup_guard_clean_here(struct lc_job_run *run)
{
    struct lc_job_staging here = run->staging;

    here.with = "";
    if (!nodes_clean_once(&here, NULL))
        lc_cleanup_guard_leave(run);
}

static int lowest_from(const int kept[3], int from)
{
    int lowest = -1;

    for (int i = 0; i < 3; i++)
        if (kept[i] >= from && (lowest < 0 || kept[i] < lowest))
            lowest = kept[i];
    return lowest;
}

/* Close all descriptors above standard error but three. Kernels without close_range keep them. */
static void descriptors_close_but(int a, int b, int c)
{
    const int kept[3] = {a, b, c};
    int from = 3;

    for (int keep; (keep = lowest_from(kept, from)) >= 0; from = keep + 1)
        if (keep > from)
            syscall(SYS_close_range, (unsigned)from, (unsigned)keep - 1, 0);
    syscall(SYS_close_range, (unsigned)from, ~0u, 0);
}

void lc_job_run_close_others(const struct lc_job_run *run)
{
    descriptors_close_but(run->guard.pipe_fd, run->share.lock, run->front_fd);
}

void lc_job_run_detach(int keep)
{
    setsid();
    lc_process_leave_streams();
    descriptors_close_but(keep, -1, -1);
}

pid_t lc_job_run_fork_detached(int *fd)
{
    int p[2];

    if (pipe2(p, O_CLOEXEC) < 0)
        return -1;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        *fd = p[1];
        lc_job_run_detach(*fd);
        return 0;
    }
    close(p[1]);
    *fd = p[0];
    if (pid < 0)
        close(p[0]);
    return pid;
}

/* The last process that cleans removes the lock. */
static void cleaning_end(struct lc_shared_use *cleaning)
{
    if (lc_shared_use_is_last(cleaning))
        lc_shared_use_end(cleaning);
}

_Noreturn static void guard_watch(const struct lc_job_run *run, const char *other_dir, int fd)
{
    struct lc_shared_use share = run->share, cleaning = {.lock = -1};
    struct lc_job_staging staging = run->staging;
    const char *dir = staging.dir;
    char byte;
    ssize_t n;

    lc_shared_use_release(&share);
    lc_job_run_detach(fd);
    while ((n = read(fd, &byte, 1)) < 0 && errno == EINTR)
        ;
    if (n != 0)
        _exit(0);
    staging.progress = NULL;
    lc_cleaning_begin(&cleaning, dir); /* else what is staged from now on would be taken, too */
    sleep(PAUSE_S); /* until the kernel has closed the locks of the killed process */
    if (!lc_shared_use_take_over(&share)) {
        cleaning_end(&cleaning);
        _exit(0); /* other runs use the image: the last of them cleans */
    }
    nodes_clean(&staging, dir);
    cleaning_end(&cleaning);
    if (other_dir)
        nodes_clean(&staging, other_dir);
    if (run->is_overlay)
        unlink(run->use);
    lc_shared_use_end(&share);
    _exit(0);
}

_Noreturn static void cleaner_run(struct lc_job_run *run, struct lc_shared_use *cleaning)
{
    struct lc_job_staging staging = run->staging;

    setsid();
    lc_process_leave_streams();
    descriptors_close_but(run->share.lock, cleaning->lock, -1);
    staging.progress = NULL;
    staging.messages = (struct lc_messages){0};
    struct lc_staging_report told = {0};
    struct lc_misses *misses = &told.misses;
    struct lc_error ignored;
    uint64_t began = lc_clock_ns();
    if (nodes_clean_once(&staging, &told)) {
        run->end_s = (double)(lc_clock_ns() - began) / 1e9;
        lc_staging_choice_learn(run, &told);
    } else {
        nodes_clean(&staging, staging.dir);
    }
    if (run->is_overlay)
        unlink(run->use);
    lc_shared_use_end(&run->share);
    cleaning_end(cleaning);
    lc_job_run_count_misses(run, &told);
    if (misses->paths.count > 0 || (misses->began_wall_ns && run->wants_misses))
        lc_job_run_learn(run, misses, &ignored);
    lc_staging_report_free(&told);
    _exit(0);
}

bool lc_cleanup_in_background(struct lc_job_run *run)
{
    struct lc_shared_use cleaning = {.lock = -1};

    lc_cleaning_begin(&cleaning, run->staging.dir);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
        cleaner_run(run, &cleaning);
    if (pid > 0) {
        lc_shared_use_hand_over(&run->share);
        lc_shared_use_hand_over(&cleaning);
    } else {
        lc_shared_use_end(&cleaning);
    }
    return pid > 0;
}

void lc_cleanup_guard_begin(struct lc_job_run *run, const char *other_dir)
{
    int p[2];

    lc_cleanup_guard_end(run);
    if (pipe2(p, O_CLOEXEC) < 0)
        return;
    fflush(NULL);
    run->guard.pid = fork();
    if (run->guard.pid == 0) {
        close(p[1]);
        guard_watch(run, other_dir, p[0]);
    }
    close(p[0]);
    run->guard.pipe_fd = p[1];
}

void lc_cleanup_guard_end(struct lc_job_run *run)
{
    struct lc_cleanup_guard *guard = &run->guard;

    if (guard->pipe_fd < 0)
        return;
    ssize_t n =
        write(guard->pipe_fd, "", 1); /* fails if the guard was killed; SIGPIPE is ignored */
    (void)n;
    close(guard->pipe_fd);
    guard->pipe_fd = -1;
    while (guard->pid > 0 && waitpid(guard->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    guard->pid = 0;
}

void lc_cleanup_guard_leave(struct lc_job_run *run)
{
    if (run->guard.pipe_fd < 0)
        lc_cleanup_guard_begin(run, NULL);
    lc_shared_use_end(&run->share);
    if (run->guard.pipe_fd >= 0)
        close(run->guard.pipe_fd);
    run->guard = (struct lc_cleanup_guard){.pipe_fd = -1};
}
