/* SPDX-License-Identifier: MIT */
/* lock.h - one process stages, the others wait and see whether it still works
 *
 * The lock is a flock: the kernel releases it when its holder dies, however it dies. A holder that
 * neither dies nor works (stopped, or its file system hangs) is not waited for: it counts up a
 * number in the lock's file, and who waits looks whether it grows. */
#ifndef LC_STAGE_LOCK_H
#define LC_STAGE_LOCK_H

#include <stdbool.h>
#include <stdint.h>

struct lc_stage_lock {
    int fd;
    uint64_t beat, last_ns; /* as last written to the file, and when */
};

enum { LC_LOCK_NOT_NEEDED = 1 };

/* Take the lock file 'name' below 'at', made if absent. While another holds it, 'done' is asked now
 * and then whether that is still needed. 0; LC_LOCK_NOT_NEEDED; or -1 with errno: ETIMEDOUT when
 * the holder has not done anything for patience_s. With patience_s 0 a held lock is EWOULDBLOCK. */
int lc_stage_lock_take(struct lc_stage_lock *lock, int at, const char *name, double patience_s,
                       bool (*done)(void *arg), void *arg);
void lc_stage_lock_beat(struct lc_stage_lock *lock); /* "I work"; any thread */
void lc_stage_lock_release(struct lc_stage_lock *lock);

/* For a flock of another kind. The file, which must be the user's own: a descriptor, or -1 with
 * errno. Once it is locked: is it still under its name, or has a cleaner removed it meanwhile? */
int lc_stage_lock_open(int at, const char *name);
bool lc_stage_lock_is_named(int fd, int at, const char *name);

#endif
