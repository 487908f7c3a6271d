/* SPDX-License-Identifier: MIT */
/* shell.c - what system and popen share
 *
 * The C library starts the shell by its internal posix_spawn, which we cannot wrap. Where the
 * image has a shell, system and popen are implemented here with our posix_spawn.
 */
#include "client/preload/shell.h"

#include <linux/fcntl.h>
#include <stddef.h>
#include <stdint.h>

#include "client/preload/path_query.h"
#include "client/preload/environment.h"
#include "client/preload/libc.h"
#include "client/preload/readable.h"
#include "node/syscall.h"

extern char **environ __attribute__((weak));
extern int lc_shell_spawn(int *, const char *, const void *, const void *, char *const[],
                          char *const[]) __asm__("posix_spawn");

bool lc_shell_is_ours(const char *command)
{
    const struct lc_node *node = lc_client_last_node();
    struct lc_query query;

    if (!command || !lc_is_text(command) || command[0] == '-' || command[0] == '+' || !&environ ||
        !node)
        return false;
    enum lc_environment kind = lc_environment_kind(environ);
    if (kind == LC_ENVIRONMENT_BARRED || kind == LC_ENVIRONMENT_LACKING)
        return true; /* the environment must be changed for the shell */
    long fd = lc_sys_open("/proc", O_PATH | O_CLOEXEC);
    if (fd == -24 /* EMFILE */)
        return true; /* ld.so could not load our objects */
    if (fd >= 0)
        lc_sys_close((int)fd);
    if (!lc_node_is_tested(node, LC_GLIBC_SHELL))
        return false;
    lc_query_begin(&query, LC_AT_FDCWD, LC_SHELL, 0); /* counts what is passed through */
    bool is_known = query.verdict == LC_KNOWN;
    lc_query_end(&query);
    return is_known;
}

int lc_shell_start(int *pid, const char *command, const void *actions, const void *attributes)
{
    char *const argv[] = {(char *)(uintptr_t) "sh", (char *)(uintptr_t) "-c",
                          (char *)(uintptr_t)command, NULL};

    return lc_shell_spawn(pid, LC_SHELL, actions, attributes, argv, environ);
}

int lc_shell_wait(int pid, int *status)
{
    long result;

    do
        result = LC_SYS4(__NR_wait4, pid, status, 0, 0);
    while (result == -4 /* EINTR */);
    return (int)lc_return(result);
}

bool lc_fork_lock_take(struct lc_fork_lock *lock)
{
    int self = (int)LC_SYS3(__NR_getpid, 0, 0, 0), owner = 0;

    while (!__atomic_compare_exchange_n(&lock->owner, &owner, self, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED))
        if (owner == self) { /* held by another thread; otherwise by the parent process, which means
                                by nobody here */
            LC_SYS3(__NR_sched_yield, 0, 0, 0);
            owner = 0;
        }
    bool is_new = lock->last != self;
    lock->last = self;
    return is_new;
}

void lc_fork_lock_give(struct lc_fork_lock *lock)
{
    __atomic_store_n(&lock->owner, 0, __ATOMIC_RELEASE);
}
