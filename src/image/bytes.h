/* SPDX-License-Identifier: MIT */
/* bytes.h - the few string functions the freestanding half needs. Freestanding. */
#ifndef LC_IMAGE_BYTES_H
#define LC_IMAGE_BYTES_H

#include <stdbool.h>
#include <stddef.h>

#include "image/hash.h"

static inline size_t lc_bytes_length(const char *text)
{
    size_t n = 0;

    while (text[n])
        n++;
    return n;
}

static inline bool lc_bytes_equal(const char *a, const char *b, size_t len)
{
    const unsigned char *x = (const unsigned char *)a, *y = (const unsigned char *)b;
    uint64_t differ = 0;

    if (len < 8) {
        for (size_t i = 0; i < len; i++)
            differ |= x[i] ^ y[i];
        return differ == 0;
    }
    /* Hashes are equal already, so the bytes will be: no early way out, and the last word overlaps
     * the one before, which spares a loop whose length no processor can guess. */
    for (size_t i = 0; i + 8 <= len; i += 8)
        differ |= lc_hash_read64(x + i) ^ lc_hash_read64(y + i);
    differ |= lc_hash_read64(x + len - 8) ^ lc_hash_read64(y + len - 8);
    return differ == 0;
}

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

static inline void lc_bytes_move(char *to, const char *from, size_t len)
{
    if (to <= from)
        for (size_t i = 0; i < len; i++)
            to[i] = from[i];
    else
        while (len-- > 0)
            to[len] = from[len];
}

#endif
