/* SPDX-License-Identifier: MIT */
/* mounts.h - find the mount that a path lies on, from /proc and without accessing the path */
#ifndef LC_TRACE_MOUNTS_H
#define LC_TRACE_MOUNTS_H

#include <stdbool.h>
#include <stddef.h>

struct lc_mountpoint {
    char *point;
    char *type; /* "ext4", "lustre", "fuse.stormfs" */
    char *source;
    bool is_gone;   /* it has been unmounted */
    bool is_kernel; /* proc, sysfs and the like, pipes, sockets: not stored on a disk */
};

struct lc_mounts {
    struct lc_mountpoint **item; /* addresses stay valid for the life of the table */
    size_t count;
    int fd; /* /proc/self/mountinfo; poll() reports changes */
};

int lc_mounts_open(struct lc_mounts *mounts); /* 0, or -1 with errno */
void lc_mounts_close(struct lc_mounts *mounts);

/* The mount that a path lies on, by its text. Never NULL: names that are not paths ("pipe:[7]") are
 * on a mount called "-", paths that could not be read ("?") on one called "?". */
const struct lc_mountpoint *lc_mounts_find(struct lc_mounts *mounts, const char *path);

/* Read the mount table again. */
void lc_mounts_reread(struct lc_mounts *mounts);

/* Read the mount table again if it has changed. True if so: cached results are then invalid. */
bool lc_mounts_refresh(struct lc_mounts *mounts);

#endif
