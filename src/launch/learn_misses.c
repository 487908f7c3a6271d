/* SPDX-License-Identifier: MIT */
/* learn_misses.c - at the end of a run: what ranks still asked the file system for is added to the
 * image in the user's store, for the next job
 *
 * Files are read and an image is written, both perhaps on a file system that does not answer. So it
 * is done by a process of its own; 'loadcast run' waits for it as long as the line has made that
 * worthwhile, and leaves it alone then. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/held_time.h"
#include "launch/job_run.h"
#include "record/learn.h"
#include "stage/users.h"

/* What the process says, in one write. */
struct result {
    bool is_changed;
    struct lc_error err; /* text: it could not be done */
};
_Static_assert(sizeof(struct result) <= PIPE_BUF, "one write");

bool lc_job_run_learns(const struct lc_job_run *run)
{
    return !run->options->no_learn && !run->options->dry_run && run->key[0] && !run->private_dir[0];
}

/* From which job it is: the scheduler's name of it, else machine and process. */
static void job_name(char *out, size_t size)
{
    char host[64] = "?";

    lc_users_job(out, size);
    if (out[0])
        return;
    gethostname(host, sizeof(host) - 1);
    snprintf(out, size, "%s:%ld", host, (long)getpid());
}

/* A store that is read-only, or an image that was removed meanwhile, is no fault. */
static bool is_fault(int code)
{
    return code != EROFS && code != EACCES && code != EPERM && code != ENOENT;
}

/* A log that is empty leaves the store alone, unless it is the answer to a question. */
static void nothing_learnt(const struct lc_job_run *run)
{
    lc_job_run_note_settled(run);
    lc_job_run_note_misses(run);
}

bool lc_job_run_learn(const struct lc_job_run *run, const struct lc_misses *misses,
                      struct lc_error *err)
{
    char job[128];
    struct lc_learnt did = {0};
    const struct lc_learn how = {.file = run->image,
                                 .misses = &misses->paths,
                                 .began_wall_ns = misses->began_wall_ns,
                                 .has_lost_writes = misses->lost_writes > 0,
                                 .argv = run->argv,
                                 .job = job};

    *err = (struct lc_error){""};
    job_name(job, sizeof(job));
    int rc = misses->paths.count > 0 ? lc_learn_misses(&how, &did, err) : 0;
    if (rc < 0 && !is_fault(errno))
        err->text[0] = '\0';
    if (rc == 0 && did.entries == 0)
        nothing_learnt(run);
    return rc == 0 && did.entries > 0;
}

_Noreturn static void learner_run(const struct lc_job_run *run, const struct lc_misses *misses,
                                  int out)
{
    struct result result = {.is_changed = false};

    prctl(PR_SET_NAME, "loadcast-learn");
    result.is_changed = lc_job_run_learn(run, misses, &result.err);
    ssize_t n = write(out, &result, sizeof(result));
    _exit(n < 0);
}

/* Wait for the result; an empty one if there is none in time. */
static struct result result_read(int fd, pid_t pid, int limit_ms)
{
    struct pollfd waits = {.fd = fd, .events = POLLIN};
    struct result result = {.is_changed = false};

    if (poll(&waits, 1, limit_ms) <= 0)
        return result; /* also if a signal came: it works on alone */
    if (read(fd, &result, sizeof(result)) != (ssize_t)sizeof(result))
        result = (struct result){.is_changed = false};
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    return result;
}

bool lc_job_run_learn_beside(const struct lc_job_run *run, const struct lc_misses *misses)
{
    int fd = -1;

    if (!misses->began_wall_ns || !lc_job_run_learns(run))
        return false;
    if (misses->paths.count == 0) {
        if (run->wants_misses)
            nothing_learnt(run);
        return false;
    }
    pid_t pid = lc_job_run_fork_detached(&fd);
    if (pid < 0)
        return false;
    if (pid == 0)
        learner_run(run, misses, fd);
    struct result result = result_read(fd, pid, (int)(lc_held_time_s(run->launch_s) * 1000));
    close(fd);
    if (result.err.text[0])
        lc_job_run_tell(run, LC_MESSAGE_NOTE, "what this run has learnt is lost: %s",
                        result.err.text);
    return result.is_changed;
}
