/* SPDX-License-Identifier: MIT */
/* popen.c - popen and pclose: a pipe to or from a shell from node memory
 *
 * The stream is an ordinary one of the C library's, and a list of ours says which process belongs
 * to it. Programs also close such streams by fclose, which waits for the shell as well.
 */
#include <linux/fcntl.h>
#include <stddef.h>
#include <stdint.h>

#include "client/preload/libc.h"
#include "client/preload/next.h"
#include "client/preload/shell.h"
#include "node/syscall.h"

extern int posix_spawn_file_actions_init(void *) __attribute__((weak));
extern int posix_spawn_file_actions_destroy(void *) __attribute__((weak));
extern int posix_spawn_file_actions_adddup2(void *, int, int) __attribute__((weak));
extern int posix_spawn_file_actions_addclose(void *, int) __attribute__((weak));
extern void *fdopen(int, const char *) __attribute__((weak));

struct pipe_stream {
    struct pipe_stream *next;
    void *stream;
    int fd, pid;
};

static struct lc_fork_lock lock;
static struct pipe_stream *open_pipes;

struct mode {
    bool reads, writes, keeps; /* keeps: not for programs that are started later */
};

static bool read_mode(struct mode *mode, const char *text)
{
    *mode = (struct mode){0};
    for (; text && *text; text++) {
        mode->reads |= *text == 'r';
        mode->writes |= *text == 'w';
        mode->keeps |= *text == 'e';
        if (*text != 'r' && *text != 'w' && *text != 'e')
            return false;
    }
    return mode->reads != mode->writes;
}

static void close_fd(int fd)
{
    if (fd >= 0)
        lc_sys_close(fd);
}

/* The child's end must not be where the child wants it already: it would be closed on its exec. */
static bool make_pipe(int *ours, int *theirs, bool reads)
{
    int fd[2];

    if (LC_SYS3(__NR_pipe2, fd, O_CLOEXEC, 0) != 0)
        return false;
    *ours = fd[reads ? 0 : 1];
    *theirs = fd[reads ? 1 : 0];
    if (*theirs != (reads ? 1 : 0))
        return true;
    int moved = (int)LC_SYS3(__NR_fcntl, *theirs, F_DUPFD_CLOEXEC, 3);
    close_fd(*theirs);
    *theirs = moved;
    if (moved >= 0)
        return true;
    close_fd(*ours);
    return false;
}

/* Children do not get the streams that are open already. Called with the lock. */
static bool start(struct pipe_stream *p, const char *command, int theirs, int wanted)
{
    char actions[LC_SPAWN_ACTIONS] __attribute__((aligned(16)));

    posix_spawn_file_actions_init(actions);
    bool is_good = posix_spawn_file_actions_adddup2(actions, theirs, wanted) == 0;
    for (struct pipe_stream *o = open_pipes; is_good && o; o = o->next)
        if (o->fd != wanted)
            is_good = posix_spawn_file_actions_addclose(actions, o->fd) == 0;
    is_good = is_good && lc_shell_start(&p->pid, command, actions, NULL) == 0;
    posix_spawn_file_actions_destroy(actions);
    return is_good;
}

static bool begin(struct pipe_stream *p, const char *command, const struct mode *mode)
{
    int theirs;

    if (!make_pipe(&p->fd, &theirs, mode->reads))
        return false;
    p->stream = fdopen(p->fd, mode->reads ? "r" : "w");
    lc_fork_lock_take(&lock);
    bool is_good = p->stream && start(p, command, theirs, mode->reads ? 1 : 0);
    if (is_good) {
        p->next = open_pipes;
        __atomic_store_n(&open_pipes, p, __ATOMIC_RELEASE);
    }
    lc_fork_lock_give(&lock);
    close_fd(theirs);
    if (is_good && !mode->keeps)
        LC_SYS3(__NR_fcntl, p->fd, F_SETFD, 0);
    if (!is_good && p->stream)
        NEXT(int, fclose, (void *))(p->stream);
    else if (!is_good)
        close_fd(p->fd);
    return is_good;
}

static void *open_pipe(const char *command, const struct mode *mode)
{
    struct pipe_stream *p = malloc ? malloc(sizeof(*p)) : NULL;

    if (p && posix_spawn_file_actions_init && posix_spawn_file_actions_destroy &&
        posix_spawn_file_actions_adddup2 && posix_spawn_file_actions_addclose && fdopen &&
        begin(p, command, mode))
        return p->stream;
    if (p)
        free(p);
    return NULL;
}

EXPORT(void *, popen, const char *command, const char *text)
{
    struct mode mode;
    void *stream = NULL;

    if (read_mode(&mode, text) &&
        (__atomic_load_n(&open_pipes, __ATOMIC_ACQUIRE) || lc_shell_is_ours(command)) && command)
        stream = open_pipe(command, &mode);
    if (stream)
        return stream;
    return NEXT(void *, popen, (const char *, const char *))(command, text);
}

/* Ours, and now off the list; NULL: the C library's. */
static struct pipe_stream *take(void *stream)
{
    struct pipe_stream **at = &open_pipes, *found = NULL;

    if (!__atomic_load_n(&open_pipes, __ATOMIC_ACQUIRE))
        return NULL;
    lc_fork_lock_take(&lock);
    while (*at && (*at)->stream != stream)
        at = &(*at)->next;
    if (*at) {
        found = *at;
        *at = found->next;
    }
    lc_fork_lock_give(&lock);
    return found;
}

static int finish(struct pipe_stream *p)
{
    int status = 0, pid = p->pid;
    int result = NEXT(int, fclose, (void *))(p->stream);

    free(p);
    if (lc_shell_wait(pid, &status) < 0)
        return -1;
    return status ? status : result;
}

EXPORT(int, pclose, void *stream)
{
    struct pipe_stream *p = take(stream);

    return p ? finish(p) : NEXT(int, pclose, (void *))(stream);
}

EXPORT(int, fclose, void *stream)
{
    struct pipe_stream *p = take(stream);

    return p ? finish(p) : NEXT(int, fclose, (void *))(stream);
}
