/* SPDX-License-Identifier: MIT */
/* exec_check.c - does the image still match the files when 'exec' is called by hand?
 *
 * The check runs in a process of its own, so that a file system that does not answer delays the
 * program by a few seconds only. That process is not a child of the program: a program must not
 * find a child that it did not start.
 */
#include "cmd/exec_check.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "record/check.h"
#include "record/ranks.h"
#include "stage/users.h"
#include "util/human.h"

enum { PATIENCE_MS = 5000, JOBS = 32, OLD_S = 3600 };

/* The result of the checking process, sent through a pipe in one write. */
struct finding {
    pid_t pid;
    int rc;
    size_t events, entries;
    char use[PATH_MAX - 64]; /* so that the struct is smaller than PIPE_BUF */
};

_Static_assert(sizeof(struct finding) <= PIPE_BUF, "one write");

static void check_and_tell(const char *image, int out)
{
    const struct lc_check how = {.jobs = JOBS, .is_brief = true};
    struct lc_checked did;
    struct lc_error err;
    struct finding found = {.pid = getpid(), .rc = 1};
    ssize_t sent = write(out, &found, sizeof(found));

    found.rc = lc_check_image(image, &how, &did, &err);
    found.events = did.events;
    found.entries = did.entries;
    if (strlen(did.wrote) < sizeof(found.use))
        strcpy(found.use, did.wrote);
    if (sent == (ssize_t)sizeof(found))
        sent = write(out, &found, sizeof(found));
    _exit(sent < 0);
}

/* Start the checking process. The descriptor from which its result is read, or -1. */
static int checker_start(const char *image)
{
    int fds[2];

    if (pipe2(fds, O_CLOEXEC) < 0)
        return -1;
    pid_t pid = fork();
    if (pid == 0) {
        signal(SIGPIPE, SIG_IGN);
        if (fork() == 0)
            check_and_tell(image, fds[1]);
        _exit(0);
    }
    close(fds[1]);
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    return fds[0];
}

static bool finding_receive(int fd, struct finding *found)
{
    struct pollfd ready = {.fd = fd, .events = POLLIN};

    return poll(&ready, 1, PATIENCE_MS) > 0 &&
           read(fd, found, sizeof(*found)) == (ssize_t)sizeof(*found);
}

static void finding_print(const char *image, const struct finding *found)
{
    if (found->rc == 1)
        fprintf(stderr,
                "loadcast exec: '%s' could not be checked within %d s; files changed since it was "
                "recorded are served as they were then\n",
                image, PATIENCE_MS / 1000);
    else if (found->rc == 0 && found->events > 0)
        fprintf(stderr,
                "loadcast exec: %s of %s entries changed since '%s' was recorded; updated\n",
                lc_human_count(found->events).s, lc_human_count(found->entries).s, image);
}

static void image_check(const char *image, bool quiet, char use[PATH_MAX])
{
    struct finding found = {.rc = 1};
    int fd = checker_start(image);

    if (fd < 0)
        return;
    if (finding_receive(fd, &found) && !finding_receive(fd, &found))
        kill(found.pid, SIGKILL);
    close(fd);
    if (!quiet)
        finding_print(image, &found);
    found.use[sizeof(found.use) - 1] = '\0';
    if (found.rc == 0 && found.use[0])
        strcpy(use, found.use);
}

/* Warn if the last check of the image was long ago: 'record' and 'check' set the modification time
 * of the file. */
static void tell_if_old(const char *image)
{
    const char *job_start = getenv("SLURM_JOB_START_TIME");
    struct stat st;

    if (stat(image, &st) < 0)
        return;
    time_t now = time(NULL), limit = job_start ? (time_t)strtoll(job_start, NULL, 10) : now - OLD_S;
    if (st.st_mtime < limit)
        fprintf(
            stderr,
            "loadcast exec: '%s' was last checked %s ago; files changed since are served as they "
            "were then; once per job: loadcast check %s\n",
            image, lc_human_seconds(difftime(now, st.st_mtime)).s, image);
}

void lc_exec_check(const char *image, bool quiet, char use[PATH_MAX])
{
    struct lc_ranks ranks;
    char job[64];

    lc_users_job(job, sizeof(job));
    lc_ranks_detect(&ranks);
    if (!job[0] && ranks.size <= 1)
        image_check(image, quiet, use);
    else if (!quiet && ranks.rank == 0)
        tell_if_old(image);
}
