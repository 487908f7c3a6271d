/* SPDX-License-Identifier: MIT */
/* bytes.h - string functions for code without a C library. Freestanding. */
#ifndef LC_IMAGE_BYTES_H
#define LC_IMAGE_BYTES_H

#include <stdbool.h>
#include <stddef.h>

#include "image/hash.h"

/* As strlen. */
static inline size_t lc_bytes_length(const char *text)
{
    size_t n = 0;

    while (text[n])
        n++;
    return n;
}

/* XXH64 of a text without its NUL. */
static inline uint64_t lc_bytes_text_hash(const char *text)
{
    return lc_hash(text, lc_bytes_length(text));
}

/* 0 if the 8 bytes at x and y are equal. */
static inline uint64_t lc_bytes_differ(const unsigned char *x, const unsigned char *y)
{
    return lc_hash_read64(x) ^ lc_hash_read64(y);
}

/* Are the first 'len' bytes equal? */
static inline bool lc_bytes_equal(const char *a, const char *b, size_t len)
{
    const unsigned char *x = (const unsigned char *)a, *y = (const unsigned char *)b;
    uint64_t differ = 0;
    size_t i = 0;

    if (len < 8) {
        for (; i < len; i++)
            differ |= x[i] ^ y[i];
        return differ == 0;
    }
    for (; len - i > 8; i += 8)
        differ |= lc_bytes_differ(x + i, y + i);
    return (differ | lc_bytes_differ(x + len - 8, y + len - 8)) == 0;
}

/* As lc_bytes_equal, for paths whose hashes are equal, so that the bytes almost always are: it does
 * not stop at a difference, and the last block overlaps the one before, which avoids a loop whose
 * length is hard to predict. */
static inline bool lc_bytes_equal_path(const char *a, const char *b, size_t len)
{
    const unsigned char *x = (const unsigned char *)a, *y = (const unsigned char *)b;
    uint64_t differ = 0;

    if (len < 32)
        return lc_bytes_equal(a, b, len);
    for (size_t at = 0, next = 0; at < len; at = next) {
        next = at + 32;
        at = next < len ? at : len - 32;
        differ |= lc_bytes_differ(x + at, y + at) | lc_bytes_differ(x + at + 8, y + at + 8) |
                  lc_bytes_differ(x + at + 16, y + at + 16) |
                  lc_bytes_differ(x + at + 24, y + at + 24);
    }
    return differ == 0;
}

/* Are two NUL-terminated strings equal? */
static inline bool lc_bytes_same(const char *a, const char *b)
{
    size_t i = 0;

    while (a[i] && a[i] == b[i])
        i++;
    return a[i] == b[i];
}

/* As strcmp, with b[0..len) for the second string. */
static inline int lc_bytes_compare(const char *a, const char *b, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (a[i] != b[i])
            return (unsigned char)a[i] < (unsigned char)b[i] ? -1 : 1;
    return a[len] ? 1 : 0;
}

/* As memmove. */
static inline void lc_bytes_move(char *to, const char *from, size_t len)
{
    if (to <= from)
        for (size_t i = 0; i < len; i++)
            to[i] = from[i];
    else
        while (len-- > 0)
            to[len] = from[len];
}

/* DIR/NAME into 'size' bytes, NAME alone for an empty DIR; false if it does not fit. */
static inline bool lc_bytes_join(char *out, size_t size, const char *dir, size_t dir_len,
                                 const char *name)
{
    size_t n = lc_bytes_length(name);

    if (dir_len + n + 2 > size)
        return false;
    lc_bytes_move(out, dir, dir_len);
    if (dir_len)
        out[dir_len++] = '/';
    lc_bytes_move(out + dir_len, name, n + 1);
    return true;
}

#endif
