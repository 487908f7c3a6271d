/* SPDX-License-Identifier: MIT */
/* temporary.h - a file that nobody else can read or prepare until it is given its name
 *
 * Every temporary file of ours is made here: O_CREAT|O_EXCL|O_NOFOLLOW|O_CLOEXEC, mode 0600, under
 * a name that cannot be foreseen. */
#ifndef LC_UTIL_TEMPORARY_H
#define LC_UTIL_TEMPORARY_H

#include <stdio.h>
#include <sys/types.h>

struct lc_temporary {
    int fd;     /* open for reading and writing; -1: none */
    char *path; /* NULL: there is none any more */
};

/* No file yet: what may be discarded. */
#define LC_TEMPORARY_NONE ((struct lc_temporary){.fd = -1})

/* Make PREFIX.RANDOM. 0, or -1 with errno. */
int lc_temporary_open(struct lc_temporary *t, const char *prefix);

/* A stream to write to it by; the caller closes it before the file is published. NULL with errno.
 */
FILE *lc_temporary_stream(const struct lc_temporary *t);

/* Rename it to 'file', with 'mode' as far as the umask allows it, and a file that is replaced. The
 * descriptor is closed. 0, or -1 with errno and the temporary file removed. */
int lc_temporary_publish(struct lc_temporary *t, const char *file, mode_t mode);

/* The same with exactly this mode: that of a file which is copied. */
int lc_temporary_publish_as(struct lc_temporary *t, const char *file, mode_t mode);

/* Remove what was not published; errno stays. */
void lc_temporary_discard(struct lc_temporary *t);

#endif
