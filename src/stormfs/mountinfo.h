/* SPDX-License-Identifier: MIT */
/* mountinfo.h - what is mounted where, without a request to the mounted file systems */
#ifndef LC_STORMFS_MOUNTINFO_H
#define LC_STORMFS_MOUNTINFO_H

#include <stdbool.h>
#include <stddef.h>

struct lc_mountinfo {
    char type[64]; /* "fuse.stormfs" */
    long user_id;  /* of a FUSE mount; else -1 */
};

/* The topmost mount on exactly this path; false if there is none. */
bool lc_mountinfo_find(const char *path, struct lc_mountinfo *out);

/* The canonical form of a path whose last part may be a mount point of a file system that does
 * not answer: on that part only readlink is called. 0, or -1 with errno. */
int lc_mountinfo_path(char *out, size_t size, const char *path);

#endif
