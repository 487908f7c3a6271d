/* SPDX-License-Identifier: MIT */
/* lock.h - one process stages, the others wait for it
 *
 * The lock is a flock: the kernel releases it when its holder ends, however it ends. A holder that
 * is stopped, or hangs in a file system, is not waited for: while it works it increments a number
 * in the lock file, and waiting processes give up when that number no longer changes. */
#ifndef LC_STAGE_LOCK_H
#define LC_STAGE_LOCK_H

#include <stdbool.h>
#include <stdint.h>

struct lc_stage_lock {
    int fd;
    uint64_t beat, last_ns; /* as last written to the file, and when */
};

enum { LC_LOCK_NOT_NEEDED = 1 };

/* Take the lock file 'name' below 'at'; it is made if absent. While another process holds it,
 * 'done' is called repeatedly; if it returns true the lock is no longer needed. 0;
 * LC_LOCK_NOT_NEEDED; or -1 with errno: ETIMEDOUT if the holder has done nothing for patience_s, or
 * has the lock after most_s whatever it does (0: no limit); EWOULDBLOCK if patience_s is 0 and the
 * lock is held. */
int lc_stage_lock_take(struct lc_stage_lock *lock, int at, const char *name, double patience_s,
                       double most_s, bool (*done)(void *arg), void *arg);
void lc_stage_lock_beat(struct lc_stage_lock *lock); /* increment the number; from any thread */
void lc_stage_lock_release(struct lc_stage_lock *lock);

/* For locks of other kinds: open a lock file, which must be this user's. A descriptor, or -1 with
 * errno. After locking it: has the file still its name, or was it removed meanwhile? */
int lc_stage_lock_open(int at, const char *name);
bool lc_stage_lock_is_named(int fd, int at, const char *name);

#endif
