/* SPDX-License-Identifier: MIT */
/* serve.c - runs stormfs in the foreground or in the background
 *
 * In the background a child process does everything. It sends an empty text, or an error text, to
 * its parent over a pipe. The parent ends when everything is mounted. */
#include "stormfs/serve.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stormfs/service.h"

static int serve_in_foreground(struct lc_options *o, struct lc_error *err)
{
    if (!o->until_pid)
        o->until_pid = getppid();
    struct lc_service *s = lc_service_start(o, err);
    if (!s)
        return -1;
    printf("mounted\n");
    fflush(stdout);
    lc_service_run(s);
}

static void terminal_release(void)
{
    int null = open("/dev/null", O_RDWR);

    dup2(null, 0);
    dup2(null, 1);
    dup2(null, 2);
    if (null > 2)
        close(null);
    if (chdir("/") < 0)
        return; /* not fatal: the working directory stays in use */
}

/* Closes descriptors that the parent had open, such as a lock or a pipe that another process reads:
 * the background process must not keep them open. */
static void inherited_fds_close(int keep)
{
    DIR *dir = opendir("/proc/self/fd");
    const struct dirent *entry;

    while (dir && (entry = readdir(dir))) {
        int fd = atoi(entry->d_name);
        if (fd > 2 && fd != keep && fd != dirfd(dir))
            close(fd);
    }
    if (dir)
        closedir(dir);
}

static void serve_in_child(struct lc_options *o, int report)
{
    struct lc_error err = {0};

    setsid();
    inherited_fds_close(report);
    struct lc_service *s = lc_service_start(o, &err);
    if (!s) {
        if (write(report, err.text, strlen(err.text) + 1) < 0)
            _exit(2);
        _exit(1);
    }
    terminal_release();
    if (write(report, "", 1) < 0)
        raise(SIGTERM); /* the parent is gone: unmount and end */
    close(report);
    lc_service_run(s);
}

/* Reads the child's report: an empty text if everything is mounted, else an error text. */
static int child_report_read(int report, pid_t child, struct lc_error *err)
{
    char text[sizeof(err->text)];
    size_t len = 0;
    ssize_t n;

    while (len < sizeof(text) && (n = read(report, text + len, sizeof(text) - len)) != 0)
        if (n > 0)
            len += (size_t)n;
        else if (errno != EINTR)
            break;
    if (len > 0 && !text[0])
        return 0;
    waitpid(child, NULL, 0);
    return lc_error_set(err, "%s", len > 0 ? text : "ended before it was ready");
}

static int serve_in_background(struct lc_options *o, struct lc_error *err)
{
    int report[2];

    if (pipe2(report, O_CLOEXEC) < 0)
        return lc_error_errno(err, "cannot start");
    pid_t child = fork();
    if (child < 0) {
        close(report[0]);
        close(report[1]);
        return lc_error_errno(err, "cannot start");
    }
    if (child == 0) {
        close(report[0]);
        serve_in_child(o, report[1]);
    }
    close(report[1]);
    int rc = child_report_read(report[0], child, err);
    close(report[0]);
    return rc;
}

int lc_serve(struct lc_options *options, struct lc_error *err)
{
    return options->foreground ? serve_in_foreground(options, err)
                               : serve_in_background(options, err);
}
