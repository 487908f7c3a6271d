/* SPDX-License-Identifier: MIT */
/* watch.c - see from inside what a program of the user's own job loads */
#include "record/watch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "node/watched.h"
#include "record/bindings.h"
#include "util/clock.h"
#include "util/syscalls.h"

enum { POLL_MS = 250 };

static void dir_remove(const char *path)
{
    DIR *dir = opendir(path);

    for (struct dirent *e; dir && (e = readdir(dir));) {
        char below[PATH_MAX];
        if (e->d_name[0] == '.' || unlinkat(dirfd(dir), e->d_name, 0) == 0)
            continue;
        snprintf(below, sizeof(below), "%s/%s", path, e->d_name);
        lc_record_bindings_clear(below); /* the only directory there is */
    }
    if (dir)
        closedir(dir);
    rmdir(path);
}

/* Has its watcher ended, or was it killed? */
static bool dir_is_left(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat st;
    bool is_left = fd >= 0 && fstat(fd, &st) == 0 && st.st_uid == geteuid() &&
                   flock(fd, LOCK_EX | LOCK_NB) == 0;

    if (fd >= 0)
        close(fd);
    return is_left;
}

/* Remove what watchers that were killed have left: loadcast-watch.UID.PID.RANDOM of a process that
 * is gone. Its number may be another user's now. */
static void place_sweep(const char *place)
{
    char prefix[64], path[300];
    DIR *dir = opendir(place);
    int n = snprintf(prefix, sizeof(prefix), "loadcast-watch.%lu.", (unsigned long)geteuid());

    for (struct dirent *e; dir && (e = readdir(dir));) {
        long pid = strncmp(e->d_name, prefix, (size_t)n) == 0 ? strtol(e->d_name + n, NULL, 10) : 0;
        if (pid <= 0 || kill((pid_t)pid, 0) == 0)
            continue;
        snprintf(path, sizeof(path), "%s/%s", place, e->d_name);
        if (dir_is_left(path))
            dir_remove(path);
    }
    if (dir)
        closedir(dir);
}

static bool dir_make_in(struct lc_watch *w, const char *place)
{
    place_sweep(place);
    int n = snprintf(w->dir, sizeof(w->dir), "%s/loadcast-watch.%lu.%ld.XXXXXX", place,
                     (unsigned long)geteuid(), (long)getpid());
    if (n >= (int)sizeof(w->dir) || !mkdtemp(w->dir)) {
        w->dir[0] = '\0';
        return false;
    }
    w->dir_fd = open(w->dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (w->dir_fd >= 0 && flock(w->dir_fd, LOCK_SH | LOCK_NB) == 0)
        return true;
    rmdir(w->dir);
    w->dir[0] = '\0';
    return false;
}

static int dir_make(struct lc_watch *w, const char *const *places,
                    bool (*is_safe)(const char *place), struct lc_error *err)
{
    for (errno = ENOENT; *places; places++)
        if (is_safe(*places) && dir_make_in(w, *places))
            return 0;
    return lc_error_errno(err, "cannot make a directory for logs");
}

static bool is_same_variable(const char *a, const char *b)
{
    size_t n = strcspn(a, "=");

    return strncmp(a, b, n + 1) == 0;
}

/* The entry of the list with the name of this one, or NULL. */
static const char *variable_find(char *const *list, const char *variable)
{
    for (; list && *list; list++)
        if (is_same_variable(*list, variable))
            return *list;
    return NULL;
}

static bool is_changed(char *const *before, const char *variable)
{
    const char *old = variable_find(before, variable);

    return !old || strcmp(old, variable) != 0;
}

static void again_add(struct lc_watch *w, const struct lc_watch_again *again)
{
    size_t words = 0;

    while (w->pilot.argv[words])
        words++;
    lc_argv_printf(&w->environment, "%s=%s", LC_WATCHED_AGAIN, again->loadcast);
    lc_argv_printf(&w->environment, "%s=%s", LC_WATCHED_AGAIN_HOW, again->how);
    lc_argv_printf(&w->environment, "%s=%zu:%ld", LC_WATCHED_AGAIN_WORDS, words, (long)getpid());
}

/* As node/watched.h describes it, from the user's environment and that of this process. */
static int environment_compose(struct lc_watch *w, char *const *before,
                               const struct lc_watch_again *again, struct lc_error *err)
{
    struct lc_argv *out = &w->environment;

    for (char *const *v = before; *v; v++) {
        const char *now = variable_find(environ, *v);
        lc_argv_printf(out, "%s%s", !now || strcmp(now, *v) != 0 ? LC_WATCHED_WAS : "", *v);
    }
    lc_argv_printf(out, "%s=%s", LC_WATCHED_VARIABLE, w->dir);
    for (int i = 0; i < LC_WATCHED_PADDING; i++)
        lc_argv_add(out, "");
    bool has_bindings = w->pilot.bindings[0], has_client = w->pilot.preload[0];
    lc_argv_printf(out, "%s=%s%s%s", LC_WATCHED_AUDIT, w->pilot.audit, has_bindings ? ":" : "",
                   has_bindings ? w->pilot.capture : "");
    lc_argv_printf(out, "%s=%s%s%s", LC_WATCHED_PRELOAD, w->pilot.preload, has_client ? ":" : "",
                   w->pilot.notes);
    for (char *const *v = environ; *v; v++)
        if (is_changed(before, *v))
            lc_argv_add(out, *v);
    if (again)
        again_add(w, again);
    lc_argv_printf(out, "%s=", LC_WATCHED_LAST);
    if (!out->failed)
        return 0;
    errno = ENOMEM;
    return lc_error_errno(err, "cannot compose the environment");
}

/* For a program with AddressSanitizer its options would have to be changed. */
static int pilot_prepare(struct lc_watch *w, char *const *before,
                         const struct lc_watch_again *again, struct lc_error *err)
{
    if (lc_pilot_prepare(&w->pilot, err) < 0)
        return -1;
    const char *asan = variable_find(environ, "ASAN_OPTIONS=");
    if (asan && is_changed(before, asan))
        return lc_error_set(err, "'%s' is built with AddressSanitizer", w->pilot.argv[0]);
    return environment_compose(w, before, again, err);
}

int lc_watch_begin(struct lc_watch *w, char *const *argv, const char *const *places,
                   bool (*is_safe)(const char *place), const struct lc_watch_again *again,
                   struct lc_error *err)
{
    struct lc_argv before = {0};

    *w = (struct lc_watch){.dir_fd = -1,
                           .pilot = {.argv = argv,
                                     .no_ptrace = true,
                                     .in_place = true,
                                     .is_measured_inside = again != NULL,
                                     .log_dir = w->dir}};
    w->pilot.seen = &w->seen;
    lc_argv_add_all(&before, environ);
    if (dir_make(w, places, is_safe, err) < 0)
        return -1;
    int rc = before.failed ? lc_error_set(err, "out of memory")
                           : pilot_prepare(w, before.item, again, err);
    environ = before.item; /* as it was; setenv() may still refer to the other list */
    if (rc < 0)
        lc_watch_end(w);
    return rc;
}

bool lc_watch_has_log(const struct lc_watch *w)
{
    return access(w->pilot.calls, F_OK) == 0;
}

off_t lc_watch_bytes(const struct lc_watch *w)
{
    return lc_pilot_logged_bytes(&w->pilot);
}

void lc_watch_hold(const struct lc_watch *w)
{
    int fd = openat(w->dir_fd, LC_WATCHED_HOLD, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

    if (fd >= 0)
        close(fd);
}

void lc_watch_release(const struct lc_watch *w)
{
    unlinkat(w->dir_fd, LC_WATCHED_HOLD, 0);
    unlinkat(w->dir_fd, LC_WATCHED_ENDING, 0);
}

/* Tells when something is made in the directory of the logs. */
static int made_open(const struct lc_watch *w)
{
    int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);

    if (fd >= 0 && inotify_add_watch(fd, w->dir, IN_CREATE | IN_ONLYDIR) < 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* Wait for a moment. True if the program has ended, waits at its end, or is started again. */
static bool has_ended(const struct lc_watch *w, struct pollfd fds[2], pid_t program)
{
    char events[4096];

    if (!lc_watch_has_log(w))
        return true;
    if (faccessat(w->dir_fd, LC_WATCHED_ENDING, F_OK, 0) == 0)
        return true;
    fds[0].revents = fds[1].revents = 0;
    poll(fds, 2, POLL_MS);
    if (fds[1].revents && read(fds[1].fd, events, sizeof(events)) > 0)
        return faccessat(w->dir_fd, LC_WATCHED_ENDING, F_OK, 0) == 0;
    if (fds[0].fd >= 0)
        return fds[0].revents != 0;
    return kill(program, 0) < 0 && errno == ESRCH; /* Linux before 5.3 */
}

bool lc_watch_wait(const struct lc_watch *w, pid_t program, double settle_s)
{
    struct pollfd fds[] = {{(int)syscall(SYS_pidfd_open, program, 0), POLLIN, 0},
                           {made_open(w), POLLIN, 0}};
    uint64_t since_ns = lc_clock_ns();
    off_t before = 0;
    bool runs;

    while ((runs = !has_ended(w, fds, program))) {
        off_t now = lc_watch_bytes(w);
        if (now != before)
            since_ns = lc_clock_ns();
        before = now;
        if ((double)(lc_clock_ns() - since_ns) / 1e9 >= settle_s)
            break;
    }
    for (int i = 0; i < 2; i++)
        if (fds[i].fd >= 0)
            close(fds[i].fd);
    return runs;
}

void lc_watch_take_calls(struct lc_watch *w, bool goes_on)
{
    struct lc_error ignored; /* what stands before a damaged line is used */

    w->pilot.keeps_logs = goes_on;
    lc_pilot_take_calls(&w->pilot, &ignored);
    lc_pilot_take_searches(&w->pilot);
}

void lc_watch_take_bindings(struct lc_watch *w, bool goes_on)
{
    struct lc_buf before = w->seen.bindings;
    struct lc_error ignored;

    w->seen.bindings = (struct lc_buf){0};
    w->pilot.keeps_logs = goes_on;
    lc_pilot_take_bindings(&w->pilot, &ignored);
    if (before.len > 0 && lc_record_bindings_unite(&w->seen.bindings, &before) < 0)
        w->seen.failed = 1;
    lc_buf_free(&before);
}

void lc_watch_end(struct lc_watch *w)
{
    lc_pilot_clear(&w->pilot);
    if (w->dir[0])
        dir_remove(w->dir);
    if (w->dir_fd >= 0)
        close(w->dir_fd);
    lc_argv_free(&w->environment);
    lc_seen_free(&w->seen);
}
