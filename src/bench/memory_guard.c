/* SPDX-License-Identifier: MIT */
/* memory_guard.c - if bench is killed, what it staged still goes out of the nodes' memory */
#include "bench/memory_guard.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/copy.h"
#include "util/syscalls.h"

/* Ranks end when they lose bench, or by their launcher: what they use is not removed before. What
 * lasts longer is left to the next bench or 'loadcast clean' on this node. */
enum { TRIES = 300, PAUSE_S = 1 };

/* A message: COMMAND and its words, each with its NUL; or DONE alone. */
enum { COMMAND = 'c', DONE = 'd' };

static void close_but(int a, int b)
{
    const int low = a < b ? a : b, high = a < b ? b : a;

    if (low > 3)
        syscall(SYS_close_range, 3u, (unsigned)low - 1, 0);
    if (high > low + 1)
        syscall(SYS_close_range, (unsigned)low + 1, (unsigned)high - 1, 0);
    syscall(SYS_close_range, (unsigned)high + 1, ~0u, 0);
}

/* Hold nobody's terminal or pipe open. */
static void let_go_of_streams(void)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    for (int fd = 0; fd < 3; fd++)
        dup2(null, fd);
}

static void clean(const char *dir, const struct lc_argv *command)
{
    struct lc_error ignored;

    for (int i = 0; i < TRIES; i++) {
        if (command->count == 0 || lc_run(command, NULL, &ignored) == 0) {
            lc_remove_tree(dir, &ignored);
            return;
        }
        sleep(PAUSE_S);
    }
}

static void take_command(struct lc_argv *command, const char *words, size_t len)
{
    lc_argv_free(command);
    for (const char *end = words + len; words < end; words += strlen(words) + 1)
        lc_argv_add(command, words);
}

_Noreturn static void watch(int fd, const struct lc_session_dir *dir)
{
    static char message[1 << 17];
    struct lc_argv command = {0};
    ssize_t n;

    setsid(); /* signals of a terminal are not for us */
    let_go_of_streams();
    close_but(fd, dir->lock);
    while ((n = recv(fd, message, sizeof(message) - 1, 0)) > 0 || (n < 0 && errno == EINTR)) {
        if (n > 0 && message[0] == DONE)
            _exit(0);
        if (n > 0) {
            message[n] = '\0';
            take_command(&command, message + 1, (size_t)n - 1);
        }
    }
    clean(dir->path, &command);
    _exit(0);
}

void lc_memory_guard_begin(struct lc_memory_guard *guard, const struct lc_session_dir *dir)
{
    int fd[2];

    *guard = (struct lc_memory_guard){0};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fd) < 0)
        return;
    pid_t pid = fork();
    if (pid == 0) {
        close(fd[1]);
        watch(fd[0], dir);
    }
    close(fd[0]);
    if (pid < 0)
        close(fd[1]);
    else
        *guard = (struct lc_memory_guard){pid, fd[1]};
}

void lc_memory_guard_tell(const struct lc_memory_guard *guard, const struct lc_argv *command)
{
    struct lc_buf message = {0};

    if (guard->pid <= 0)
        return;
    lc_buf_putc(&message, COMMAND);
    for (size_t i = 0; command && i < command->count; i++)
        lc_buf_add(&message, command->item[i], strlen(command->item[i]) + 1);
    if (!message.failed)
        (void)!send(guard->fd, message.data, message.len, MSG_NOSIGNAL);
    lc_buf_free(&message);
}

void lc_memory_guard_end(struct lc_memory_guard *guard)
{
    const char done = DONE;

    if (guard->pid <= 0)
        return;
    (void)!send(guard->fd, &done, 1, MSG_NOSIGNAL);
    close(guard->fd);
    while (waitpid(guard->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    guard->pid = 0;
}
