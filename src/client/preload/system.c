/* SPDX-License-Identifier: MIT */
/* system.c - system: run a command by a shell that is started from node memory
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

/* The functions that pthread_cleanup_push of <pthread.h> expands to. */
extern int __sigsetjmp(void *, int) __attribute__((weak, returns_twice));
extern void __pthread_register_cancel(void *) __attribute__((weak));
extern void __pthread_unregister_cancel(void *) __attribute__((weak));
extern void __pthread_unwind_next(void *) __attribute__((weak));

enum { IGNORE = 1, MASK_BYTES = 8 };

struct action { /* as the kernel's rt_sigaction has it */
    uintptr_t handler, flags, restorer;
    uint64_t mask;
};

static struct {
    struct lc_fork_lock lock;
    int users; /* threads that are in system() now */
    struct action before_int, before_quit;
} ignoring;

static uint64_t signal_bit(int signal)
{
    return (uint64_t)1 << (signal - 1);
}

static void action_exchange(int signal, const struct action *action, struct action *before)
{
    LC_SYS4(__NR_rt_sigaction, signal, action, before, MASK_BYTES);
}

/* Ignore SIGINT and SIGQUIT in this process. Returns the signals for which the shell gets the
 * default action: those that were not ignored before. */
static uint64_t signals_ignore(void)
{
    const struct action ignore = {.handler = IGNORE};
    uint64_t reset = 0;

    if (lc_fork_lock_take(&ignoring.lock))
        ignoring.users = 0;
    if (ignoring.users++ == 0) {
        action_exchange(SIGINT, &ignore, &ignoring.before_int);
        action_exchange(SIGQUIT, &ignore, &ignoring.before_quit);
    }
    reset |= ignoring.before_int.handler == IGNORE ? 0 : signal_bit(SIGINT);
    reset |= ignoring.before_quit.handler == IGNORE ? 0 : signal_bit(SIGQUIT);
    lc_fork_lock_give(&ignoring.lock);
    return reset;
}

static void signals_restore(void)
{
    lc_fork_lock_take(&ignoring.lock);
    if (--ignoring.users == 0) {
        action_exchange(SIGINT, &ignoring.before_int, NULL);
        action_exchange(SIGQUIT, &ignoring.before_quit, NULL);
    }
    lc_fork_lock_give(&ignoring.lock);
}

static uint64_t mask_set(int how, uint64_t mask)
{
    uint64_t before = 0;

    LC_SYS4(__NR_rt_sigprocmask, how, &mask, &before, MASK_BYTES);
    return before;
}

static int shell_start(int *pid, const char *command, uint64_t mask, uint64_t reset)
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

static int shell_wait_cancellable(int pid, int *status)
{
    int result;

    do
        result = NEXT(int, waitpid, (int, int *, int))(pid, status, 0);
    while (result < 0 && lc_get_errno() == 4 /* EINTR */);
    return result;
}

/* Wait for the shell. This is a cancellation point: a thread that is cancelled kills its shell. */
static int shell_wait(int pid, int *status)
{
    char buffer[LC_JUMP_BUFFER] __attribute__((aligned(16)));

    if (!__sigsetjmp || !__pthread_register_cancel || !__pthread_unregister_cancel ||
        !__pthread_unwind_next) /* a program without threads */
        return lc_shell_wait(pid, status);
    if (__sigsetjmp(buffer, 0)) {
        LC_SYS3(__NR_kill, pid, SIGKILL, 0);
        lc_shell_wait(pid, status);
        signals_restore();
        __pthread_unwind_next(buffer);
    }
    __pthread_register_cancel(buffer);
    int result = shell_wait_cancellable(pid, status);
    __pthread_unregister_cancel(buffer);
    return result;
}

/* True: the command was run, *status is the shell's; false: leave it to the C library. */
static bool command_run(const char *command, int *status)
{
    int pid = 0;

    if (!posix_spawnattr_init || !posix_spawnattr_destroy || !posix_spawnattr_setsigmask ||
        !posix_spawnattr_setsigdefault || !posix_spawnattr_setflags)
        return false;
    uint64_t reset = signals_ignore(), mask = mask_set(SIG_BLOCK, signal_bit(SIGCHLD));
    bool is_started = shell_start(&pid, command, mask, reset) == 0;
    if (is_started && shell_wait(pid, status) != pid)
        *status = -1;
    signals_restore();
    mask_set(SIG_SETMASK, mask);
    return is_started;
}

EXPORT(int, system, const char *command)
{
    const char *line = command ? command : "exit 0"; /* is there a shell? */
    int status = 0;

    if (lc_shell_is_ours(line) && command_run(line, &status))
        return command ? status : status == 0;
    return NEXT(int, system, (const char *))(command);
}
