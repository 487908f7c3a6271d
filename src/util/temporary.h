/* SPDX-License-Identifier: MIT */
/* temporary.h - a temporary file that is private until it is renamed to its final name
 *
 * All our temporary files are made here: O_CREAT|O_EXCL|O_NOFOLLOW|O_CLOEXEC, mode 0600, with a
 * random name. */
#ifndef LC_UTIL_TEMPORARY_H
#define LC_UTIL_TEMPORARY_H

#include <stdio.h>
#include <sys/types.h>

struct lc_temporary {
    int fd;     /* open for reading and writing; -1: none */
    char *path; /* NULL: it was published or discarded */
};

/* The initial value, which may be discarded. */
#define LC_TEMPORARY_NONE ((struct lc_temporary){.fd = -1})

/* Make PREFIX.RANDOM. 0, or -1 with errno. */
int lc_temporary_open(struct lc_temporary *t, const char *prefix);

/* A stream for writing to the file; the caller closes it before the file is published. NULL with
 * errno. */
FILE *lc_temporary_stream(const struct lc_temporary *t);

/* Rename the file to 'file'. Its mode becomes 'mode', without the bits that the umask or the mode
 * of a replaced file forbids. The descriptor is closed. 0, or -1 with errno and the temporary file
 * removed. */
int lc_temporary_publish(struct lc_temporary *t, const char *file, mode_t mode);

/* As lc_temporary_publish, with exactly this mode: for copies of a file. */
int lc_temporary_publish_as(struct lc_temporary *t, const char *file, mode_t mode);

/* Remove the file if it was not published; errno is kept. */
void lc_temporary_discard(struct lc_temporary *t);

#endif
