/* SPDX-License-Identifier: MIT */
/* io.c - complete reads and writes */
#include "util/io.h"

#include <errno.h>
#include <unistd.h>

ssize_t lc_read_at(int fd, void *out, size_t len, off_t at)
{
    size_t done = 0;

    while (done < len) {
        ssize_t n = pread(fd, (char *)out + done, len - done, at + (off_t)done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        if (n == 0)
            break;
        done += (size_t)n;
    }
    return (ssize_t)done;
}

int lc_read_exactly(int fd, void *out, size_t len, off_t at)
{
    ssize_t n = lc_read_at(fd, out, len, at);

    if (n >= 0 && (size_t)n < len)
        errno = EIO;
    return n == (ssize_t)len ? 0 : -1;
}

/* Interpret the result 'n' of a write: the bytes written, 0 to try again, or -1. Nothing written
 * counts as a full disk. */
static ssize_t write_result(ssize_t n)
{
    if (n < 0)
        return errno == EINTR ? 0 : -1;
    return n == 0 ? (errno = ENOSPC, -1) : n;
}

int lc_write_at(int fd, const void *data, size_t len, off_t at)
{
    for (size_t done = 0; done < len;) {
        ssize_t n =
            write_result(pwrite(fd, (const char *)data + done, len - done, at + (off_t)done));
        if (n < 0)
            return -1;
        done += (size_t)n;
    }
    return 0;
}

int lc_write_all(int fd, const void *data, size_t len)
{
    for (size_t done = 0; done < len;) {
        ssize_t n = write_result(write(fd, (const char *)data + done, len - done));
        if (n < 0)
            return -1;
        done += (size_t)n;
    }
    return 0;
}
