/* SPDX-License-Identifier: MIT */
/* io.h - reading and writing to the end: calls that were cut short or interrupted go on */
#ifndef LC_UTIL_IO_H
#define LC_UTIL_IO_H

#include <stddef.h>
#include <sys/types.h>

/* As many bytes as there are at 'at', up to len: fewer means the end of the file. -1 with errno. */
ssize_t lc_read_at(int fd, void *out, size_t len, off_t at);

/* That many: 0, or -1 with errno (EIO: the file ends before). */
int lc_read_exactly(int fd, void *out, size_t len, off_t at);

/* All of them: 0, or -1 with errno. */
int lc_write_at(int fd, const void *data, size_t len, off_t at);
int lc_write_all(int fd, const void *data, size_t len);

#endif
