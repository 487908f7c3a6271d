/* SPDX-License-Identifier: MIT */
/* popen.c - popen and pclose: a pipe to or from a shell that is started from node memory
 *
 * The stream is made by the C library's fdopen; a list of our own says which process belongs to it.
 * glibc allows programs to close such a stream by fclose, which then waits for the shell too.
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

static struct {
    struct lc_fork_lock lock;
    struct pipe_stream *first;
} open_pipes;

struct mode {
    bool reads, writes, keeps; /* keeps: close-on-exec, "e" */
};

static bool mode_read(struct mode *mode, const char *text)
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

static void fd_close(int fd)
{
    if (fd >= 0)
        lc_sys_close(fd);
}

/* Make a pipe; 'theirs' is the shell's end. It must not have the number that the shell needs: dup2
 * of a descriptor to itself leaves it close-on-exec. */
static bool pipe_make(int *ours, int *theirs, bool reads)
{
    int fd[2];

    if (LC_SYS3(__NR_pipe2, fd, O_CLOEXEC, 0) != 0)
        return false;
    *ours = fd[reads ? 0 : 1];
    *theirs = fd[reads ? 1 : 0];
    if (*theirs != (reads ? 1 : 0))
        return true;
    int moved = (int)LC_SYS3(__NR_fcntl, *theirs, F_DUPFD_CLOEXEC, 3);
    fd_close(*theirs);
    *theirs = moved;
    if (moved >= 0)
        return true;
    fd_close(*ours);
    return false;
}

/* Start the shell. As POSIX demands, it does not inherit streams of earlier popen calls. The caller
 * holds the lock. */
static bool shell_start(struct pipe_stream *p, const char *command, int theirs, int wanted)
{
    char actions[LC_SPAWN_ACTIONS] __attribute__((aligned(16)));

    posix_spawn_file_actions_init(actions);
    bool is_good = posix_spawn_file_actions_adddup2(actions, theirs, wanted) == 0;
    for (struct pipe_stream *o = open_pipes.first; is_good && o; o = o->next)
        if (o->fd != wanted)
            is_good = posix_spawn_file_actions_addclose(actions, o->fd) == 0;
    is_good = is_good && lc_shell_start(&p->pid, command, actions, NULL) == 0;
    posix_spawn_file_actions_destroy(actions);
    return is_good;
}

static bool stream_begin(struct pipe_stream *p, const char *command, const struct mode *mode)
{
    int theirs;

    if (!pipe_make(&p->fd, &theirs, mode->reads))
        return false;
    p->stream = fdopen(p->fd, mode->reads ? "r" : "w");
    lc_fork_lock_take(&open_pipes.lock);
    bool is_good = p->stream && shell_start(p, command, theirs, mode->reads ? 1 : 0);
    if (is_good) {
        p->next = open_pipes.first;
        __atomic_store_n(&open_pipes.first, p, __ATOMIC_RELEASE);
    }
    lc_fork_lock_give(&open_pipes.lock);
    fd_close(theirs);
    if (is_good && !mode->keeps)
        LC_SYS3(__NR_fcntl, p->fd, F_SETFD, 0);
    if (!is_good && p->stream)
        NEXT(int, fclose, (void *))(p->stream);
    else if (!is_good)
        fd_close(p->fd);
    return is_good;
}

static void *stream_open(const char *command, const struct mode *mode)
{
    struct pipe_stream *p = malloc ? malloc(sizeof(*p)) : NULL;

    if (p && posix_spawn_file_actions_init && posix_spawn_file_actions_destroy &&
        posix_spawn_file_actions_adddup2 && posix_spawn_file_actions_addclose && fdopen &&
        stream_begin(p, command, mode))
        return p->stream;
    if (p)
        free(p);
    return NULL;
}

EXPORT(void *, popen, const char *command, const char *text)
{
    struct mode mode;
    void *stream = NULL;

    if (mode_read(&mode, text) &&
        (__atomic_load_n(&open_pipes.first, __ATOMIC_ACQUIRE) || lc_shell_is_ours(command)) &&
        command)
        stream = stream_open(command, &mode);
    if (stream)
        return stream;
    return NEXT(void *, popen, (const char *, const char *))(command, text);
}

/* Remove a stream from the list; NULL: it was not made by us. */
static struct pipe_stream *stream_take(void *stream)
{
    struct pipe_stream **at = &open_pipes.first, *found = NULL;

    if (!__atomic_load_n(&open_pipes.first, __ATOMIC_ACQUIRE))
        return NULL;
    lc_fork_lock_take(&open_pipes.lock);
    while (*at && (*at)->stream != stream)
        at = &(*at)->next;
    if (*at) {
        found = *at;
        *at = found->next;
    }
    lc_fork_lock_give(&open_pipes.lock);
    return found;
}

static int stream_finish(struct pipe_stream *p)
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
    struct pipe_stream *p = stream_take(stream);

    return p ? stream_finish(p) : NEXT(int, pclose, (void *))(stream);
}

EXPORT(int, fclose, void *stream)
{
    struct pipe_stream *p = stream_take(stream);

    return p ? stream_finish(p) : NEXT(int, fclose, (void *))(stream);
}
