/* SPDX-License-Identifier: MIT */
/* shell.h - what system and popen share: may the shell be started by us, and a lock */
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

/* Is there something for us to do: a shell that the image knows, or an environment to be mended for
 * it? Commands that begin with an option are the C library's, whose versions differ about them. */
bool lc_shell_is_ours(const char *command);

/* sh -c COMMAND by posix_spawn, with whatever of its two structures; 0 or an errno. */
int lc_shell_start(int *pid, const char *command, const void *actions, const void *attributes);

/* As waitpid, but it goes on after signals and is no cancellation point. */
int lc_shell_wait(int pid, int *status);

/* Held for short times. One that a fork left behind in the child is free there: true, if so. */
struct lc_fork_lock {
    int owner; /* process, or 0 */
    int last;  /* process that had it last */
};

bool lc_fork_lock_take(struct lc_fork_lock *lock);
void lc_fork_lock_give(struct lc_fork_lock *lock);

#endif
