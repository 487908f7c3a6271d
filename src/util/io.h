/* SPDX-License-Identifier: MIT */
/* io.h - complete reads and writes: repeated after an interruption or a partial transfer */
#ifndef LC_UTIL_IO_H
#define LC_UTIL_IO_H

#include <stddef.h>
#include <sys/types.h>

/* Read up to len bytes at offset 'at'. Returns the number of bytes; fewer than len means the end of
 * the file. -1 with errno. */
ssize_t lc_read_at(int fd, void *out, size_t len, off_t at);

/* Read exactly len bytes. 0, or -1 with errno (EIO: the file ends before). */
int lc_read_exactly(int fd, void *out, size_t len, off_t at);

/* Write all len bytes. 0, or -1 with errno. */
int lc_write_at(int fd, const void *data, size_t len, off_t at);
int lc_write_all(int fd, const void *data, size_t len);

#endif
