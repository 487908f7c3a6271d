/* SPDX-License-Identifier: MIT */
/* system.c - system: a command by a shell from node memory
 *
 * As glibc does it: SIGINT and SIGQUIT are ignored while any thread waits, SIGCHLD is blocked, and
 * a thread that is cancelled meanwhile kills its shell.
 */
#include <stddef.h>
#include <stdint.h>

#include <asm/signal.h> /* uses size_t, and with older kernels does not bring it */

#include "client/preload/libc.h"
#include "client/preload/next.h"
#include "client/preload/shell.h"
#include "node/syscall.h"

extern int posix_spawnattr_init(void *) __attribute__((weak));
extern int posix_spawnattr_destroy(void *) __attribute__((weak));
extern int posix_spawnattr_setsigmask(void *, const void *) __attribute__((weak));
extern int posix_spawnattr_setsigdefault(void *, const void *) __attribute__((weak));
extern int posix_spawnattr_setflags(void *, short) __attribute__((weak));

/* What <pthread.h>'s pthread_cleanup_push is made of. */
extern int __sigsetjmp(void *, int) __attribute__((weak, returns_twice));
extern void __pthread_register_cancel(void *) __attribute__((weak));
extern void __pthread_unregister_cancel(void *) __attribute__((weak));
extern void __pthread_unwind_next(void *) __attribute__((weak));

enum { IGNORE = 1, MASK_BYTES = 8 };

struct action { /* the kernel's */
    uintptr_t handler, flags, restorer;
    uint64_t mask;
};

static struct lc_fork_lock lock;
static int users; /* threads in system() */
static struct action before_int, before_quit;

static uint64_t bit(int signal)
{
    return (uint64_t)1 << (signal - 1);
}

static void exchange(int signal, const struct action *action, struct action *before)
{
    LC_SYS4(__NR_rt_sigaction, signal, action, before, MASK_BYTES);
}

/* Which signals are the shell's to have as they were? */
static uint64_t ignore_signals(void)
{
    const struct action ignore = {.handler = IGNORE};
    uint64_t reset = 0;

    if (lc_fork_lock_take(&lock))
        users = 0;
    if (users++ == 0) {
        exchange(SIGINT, &ignore, &before_int);
        exchange(SIGQUIT, &ignore, &before_quit);
    }
    reset |= before_int.handler == IGNORE ? 0 : bit(SIGINT);
    reset |= before_quit.handler == IGNORE ? 0 : bit(SIGQUIT);
    lc_fork_lock_give(&lock);
    return reset;
}

static void restore_signals(void)
{
    lc_fork_lock_take(&lock);
    if (--users == 0) {
        exchange(SIGINT, &before_int, NULL);
        exchange(SIGQUIT, &before_quit, NULL);
    }
    lc_fork_lock_give(&lock);
}

static uint64_t set_mask(int how, uint64_t mask)
{
    uint64_t before = 0;

    LC_SYS4(__NR_rt_sigprocmask, how, &mask, &before, MASK_BYTES);
    return before;
}

static int start(int *pid, const char *command, uint64_t mask, uint64_t reset)
{
    char attributes[LC_SPAWN_ATTRIBUTES] __attribute__((aligned(16)));
    struct lc_signal_mask wide_mask = {{mask}}, wide_reset = {{reset}};

    posix_spawnattr_init(attributes);
    posix_spawnattr_setsigmask(attributes, &wide_mask);
    posix_spawnattr_setsigdefault(attributes, &wide_reset);
    posix_spawnattr_setflags(attributes, LC_SPAWN_SET_DEFAULT | LC_SPAWN_SET_MASK);
    int error = lc_shell_start(pid, command, NULL, attributes);
    posix_spawnattr_destroy(attributes);
    return error;
}

static int wait_cancellable(int pid, int *status)
{
    int result;

    do
        result = NEXT(int, waitpid, (int, int *, int))(pid, status, 0);
    while (result < 0 && lc_get_errno() == 4 /* EINTR */);
    return result;
}

/* Wait; a cancellation point. */
static int wait_for(int pid, int *status)
{
    char buffer[LC_JUMP_BUFFER] __attribute__((aligned(16)));

    if (!__sigsetjmp || !__pthread_register_cancel || !__pthread_unregister_cancel ||
        !__pthread_unwind_next) /* a program without threads */
        return lc_shell_wait(pid, status);
    if (__sigsetjmp(buffer, 0)) {
        LC_SYS3(__NR_kill, pid, SIGKILL, 0);
        lc_shell_wait(pid, status);
        restore_signals();
        __pthread_unwind_next(buffer);
    }
    __pthread_register_cancel(buffer);
    int result = wait_cancellable(pid, status);
    __pthread_unregister_cancel(buffer);
    return result;
}

/* True: done, with the shell's status. */
static bool run(const char *command, int *status)
{
    int pid = 0;

    if (!posix_spawnattr_init || !posix_spawnattr_destroy || !posix_spawnattr_setsigmask ||
        !posix_spawnattr_setsigdefault || !posix_spawnattr_setflags)
        return false;
    uint64_t reset = ignore_signals(), mask = set_mask(SIG_BLOCK, bit(SIGCHLD));
    bool is_started = start(&pid, command, mask, reset) == 0;
    if (is_started && wait_for(pid, status) != pid)
        *status = -1;
    restore_signals();
    set_mask(SIG_SETMASK, mask);
    return is_started;
}

EXPORT(int, system, const char *command)
{
    const char *line = command ? command : "exit 0"; /* is there a shell? */
    int status = 0;

    if (lc_shell_is_ours(line) && run(line, &status))
        return command ? status : status == 0;
    return NEXT(int, system, (const char *))(command);
}
