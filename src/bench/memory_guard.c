/* SPDX-License-Identifier: MIT */
/* memory_guard.c - remove staged images from the nodes' memory if bench is killed */
#include "bench/memory_guard.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/copy.h"
#include "util/syscalls.h"

/* The image cannot be removed while ranks use it; they end when they lose bench, or by their
 * launcher. If that takes longer than this, the next bench or 'loadcast clean' on this node cleans
 * up. */
enum { TRIES = 300, PAUSE_S = 1 };

/* A message is COMMAND followed by the words of the command, each with its NUL; or DONE alone. */
enum { COMMAND = 'c', DONE = 'd' };

static void close_all_but(int a, int b)
{
    const int low = a < b ? a : b, high = a < b ? b : a;

    if (low > 3)
        syscall(SYS_close_range, 3u, (unsigned)low - 1, 0);
    if (high > low + 1)
        syscall(SYS_close_range, (unsigned)low + 1, (unsigned)high - 1, 0);
    syscall(SYS_close_range, (unsigned)high + 1, ~0u, 0);
}

/* Do not keep a terminal or pipe of the user open. */
static void streams_to_null(void)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    for (int fd = 0; fd < 3; fd++)
        dup2(null, fd);
}

static void memory_clean(const char *dir, const struct lc_argv *command)
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

static void command_read(struct lc_argv *command, const char *words, size_t len)
{
    lc_argv_free(command);
    for (const char *end = words + len; words < end; words += strlen(words) + 1)
        lc_argv_add(command, words);
}

_Noreturn static void guard_run(int fd, const struct lc_session_dir *dir)
{
    static char message[1 << 17];
    struct lc_argv command = {0};
    ssize_t n;

    setsid(); /* do not get the terminal's signals */
    streams_to_null();
    close_all_but(fd, dir->lock);
    while ((n = recv(fd, message, sizeof(message) - 1, 0)) > 0 || (n < 0 && errno == EINTR)) {
        if (n > 0 && message[0] == DONE)
            _exit(0);
        if (n > 0) {
            message[n] = '\0';
            command_read(&command, message + 1, (size_t)n - 1);
        }
    }
    memory_clean(dir->path, &command);
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
        guard_run(fd[0], dir);
    }
    close(fd[0]);
    if (pid < 0)
        close(fd[1]);
    else
        *guard = (struct lc_memory_guard){pid, fd[1]};
}

void lc_memory_guard_set_command(const struct lc_memory_guard *guard, const struct lc_argv *command)
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
