/* SPDX-License-Identifier: MIT */
/* once.h - the programs that a job runs once, however many tasks it has
 *
 * With --scale N each process stands for N tasks. A check, an archive reader or a mount is one
 * process at any width: whoever measures names such programs, and their requests are charged
 * without the scale. A request is recognized by the name of the thread that sent it
 * (/proc/TID/comm): FUSE passes on the thread's id, and threads and forked children inherit the
 * program's name until they execute another one. */
#ifndef LC_STORMFS_ONCE_H
#define LC_STORMFS_ONCE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/error.h"

enum {
    LC_ONCE_MOST = 32, /* programs */
    LC_ONCE_NAME = 16, /* the kernel keeps 15 bytes of a program's name */
};

/* One thread adds; others may look at the same time. */
struct lc_once {
    _Atomic unsigned count;
    struct lc_once_program {
        char name[LC_ONCE_NAME];
        _Atomic uint64_t requests;
    } program[LC_ONCE_MOST];
};

/* Add programs: names separated by commas, without directories. 0, or -1 with err filled and
 * nothing added. */
int lc_once_add(struct lc_once *once, const char *names, struct lc_error *err);

/* Does thread 'tid' run one of the programs? Counts the request for it. False if that cannot be
 * found out: tid is 0 for requests of the kernel itself, and the thread may have ended. */
bool lc_once_count(struct lc_once *once, pid_t tid);

void lc_once_reset(struct lc_once *once); /* the counts, not the names */

#endif
