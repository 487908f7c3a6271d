/* SPDX-License-Identifier: MIT */
/* shell.h - what system and popen share: starting the shell, and a lock that survives fork */
#ifndef LC_PRELOAD_SHELL_H
#define LC_PRELOAD_SHELL_H

#include <stdbool.h>
#include <stdint.h>

/* Room for the C library's structures, which are not larger: layouts_test.c. */
enum {
    LC_SPAWN_ACTIONS = 256,    /* posix_spawn_file_actions_t */
    LC_SPAWN_ATTRIBUTES = 512, /* posix_spawnattr_t */
    LC_JUMP_BUFFER = 640,      /* __pthread_unwind_buf_t */
};
enum { LC_SPAWN_SET_DEFAULT = 0x4, LC_SPAWN_SET_MASK = 0x8 }; /* POSIX_SPAWN_SETSIGDEF, ..MASK */

struct lc_signal_mask { /* sigset_t */
    uint64_t bits[16];
};

#define LC_SHELL "/bin/sh"

/* Must the shell be started by us? True if the image knows the shell, or if the environment must be
 * changed for it. A command that begins with '-' or '+' is left to the C library, because its
 * versions treat it differently. */
bool lc_shell_is_ours(const char *command);

/* Start sh -c COMMAND by posix_spawn with these file actions and attributes; 0 or an errno. */
int lc_shell_start(int *pid, const char *command, const void *actions, const void *attributes);

/* As waitpid, but it continues after signals and is not a cancellation point. */
int lc_shell_wait(int pid, int *status);

/* A lock that is held for short times. If another thread held it during a fork, it is free in the
 * child: lc_fork_lock_take() then returns true. */
struct lc_fork_lock {
    int owner; /* process ID, or 0 if the lock is free */
    int last;  /* process ID of the last owner */
};

bool lc_fork_lock_take(struct lc_fork_lock *lock);
void lc_fork_lock_give(struct lc_fork_lock *lock);

#endif
