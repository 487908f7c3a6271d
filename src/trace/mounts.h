/* SPDX-License-Identifier: MIT */
/* mounts.h - which file system does a path lie on? Answered from /proc, never by asking the path */
#ifndef LC_TRACE_MOUNTS_H
#define LC_TRACE_MOUNTS_H

#include <stdbool.h>
#include <stddef.h>

struct lc_mountpoint {
    char *point;
    char *type; /* "ext4", "lustre", "fuse.stormfs" */
    char *source;
    bool is_gone;   /* unmounted since */
    bool is_kernel; /* proc, sysfs and the like, pipes, sockets: no disk behind it */
};

struct lc_mounts {
    struct lc_mountpoint **item; /* each stays where it is for the life of the table */
    size_t count;
    int fd; /* /proc/self/mountinfo: tells by poll() when it has changed */
};

int lc_mounts_open(struct lc_mounts *mounts); /* 0, or -1 with errno */
void lc_mounts_close(struct lc_mounts *mounts);

/* The mount a path lies on by its text. Never NULL: what is no path ("pipe:[7]") lies on a mount
 * named "-", what could not be read ("?") on one named "?". */
const struct lc_mountpoint *lc_mounts_find(struct lc_mounts *mounts, const char *path);

/* Read it anew, changed or not. */
void lc_mounts_reread(struct lc_mounts *mounts);

/* Has the table changed since it was read? Then cached answers are void. */
bool lc_mounts_refresh(struct lc_mounts *mounts);

#endif
