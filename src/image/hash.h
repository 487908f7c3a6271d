/* SPDX-License-Identifier: MIT */
/* hash.h - XXH64 with seed 0, the hash of the image's index; and the hash of paths. Freestanding.
 *
 * XXH64 is implemented from its public description, so that writer, tools and the code inside the
 * user's process share one definition without a library. hash_test.c compares it with libxxhash.
 * Paths have a faster hash of their own (doc/format.md), because every look-up computes one. */
#ifndef LC_IMAGE_HASH_H
#define LC_IMAGE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define LC_HASH_P1 0x9E3779B185EBCA87u
#define LC_HASH_P2 0xC2B2AE3D27D4EB4Fu
#define LC_HASH_P3 0x165667B19E3779F9u
#define LC_HASH_P4 0x85EBCA77C2B2AE63u
#define LC_HASH_P5 0x27D4EB2F165667C5u

static inline uint64_t lc_hash_rotate(uint64_t x, int bits)
{
    return (x << bits) | (x >> (64 - bits));
}

static inline uint64_t lc_hash_read64(const unsigned char *p)
{
    uint64_t v;

    __builtin_memcpy(&v, p, sizeof(v));
    return v;
}

static inline uint32_t lc_hash_read32(const unsigned char *p)
{
    uint32_t v;

    __builtin_memcpy(&v, p, sizeof(v));
    return v;
}

static inline uint64_t lc_hash_round(uint64_t acc, uint64_t word)
{
    return lc_hash_rotate(acc + word * LC_HASH_P2, 31) * LC_HASH_P1;
}

static inline uint64_t lc_hash_merge(uint64_t h, uint64_t acc)
{
    return (h ^ lc_hash_round(0, acc)) * LC_HASH_P1 + LC_HASH_P4;
}

/* The last bytes (fewer than 32), then the final mixing. */
static inline uint64_t lc_hash_finish(uint64_t h, const unsigned char *p, const unsigned char *end)
{
    for (; end - p >= 8; p += 8)
        h = lc_hash_rotate(h ^ lc_hash_round(0, lc_hash_read64(p)), 27) * LC_HASH_P1 + LC_HASH_P4;
    if (end - p >= 4) {
        h = lc_hash_rotate(h ^ lc_hash_read32(p) * LC_HASH_P1, 23) * LC_HASH_P2 + LC_HASH_P3;
        p += 4;
    }
    for (; p < end; p++)
        h = lc_hash_rotate(h ^ *p * LC_HASH_P5, 11) * LC_HASH_P1;
    h = (h ^ (h >> 33)) * LC_HASH_P2;
    h = (h ^ (h >> 29)) * LC_HASH_P3;
    return h ^ (h >> 32);
}

static inline uint64_t lc_hash(const void *data, size_t len)
{
    const unsigned char *p = data, *end = p + len;

    if (len < 32)
        return lc_hash_finish(LC_HASH_P5 + len, p, end);
    uint64_t a = LC_HASH_P1 + LC_HASH_P2, b = LC_HASH_P2, c = 0, d = 0 - LC_HASH_P1;
    for (; end - p >= 32; p += 32) {
        a = lc_hash_round(a, lc_hash_read64(p));
        b = lc_hash_round(b, lc_hash_read64(p + 8));
        c = lc_hash_round(c, lc_hash_read64(p + 16));
        d = lc_hash_round(d, lc_hash_read64(p + 24));
    }
    uint64_t h =
        lc_hash_rotate(a, 1) + lc_hash_rotate(b, 7) + lc_hash_rotate(c, 12) + lc_hash_rotate(d, 18);
    h = lc_hash_merge(lc_hash_merge(lc_hash_merge(lc_hash_merge(h, a), b), c), d);
    return lc_hash_finish(h + len, p, end);
}

/* XOR of both halves of the product. */
static inline uint64_t lc_hash_fold(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Two independent sums over blocks of 32 bytes, which the processor can compute in parallel. */
struct lc_hash_sums {
    uint64_t a, b;
};

static inline struct lc_hash_sums lc_hash_block(struct lc_hash_sums s, const unsigned char *first,
                                                const unsigned char *second)
{
    return (struct lc_hash_sums){
        lc_hash_fold(lc_hash_read64(first) ^ LC_HASH_P3, lc_hash_read64(first + 8) ^ s.a),
        lc_hash_fold(lc_hash_read64(second) ^ LC_HASH_P4, lc_hash_read64(second + 8) ^ s.b)};
}

/* Hash of a path. The last block overlaps the one before, so that branches depend only on the
 * number of blocks. */
static inline uint64_t lc_hash_path(const char *path, size_t len)
{
    const unsigned char *p = (const unsigned char *)path, *end = p + len;
    struct lc_hash_sums s = {LC_HASH_P1, LC_HASH_P2};
    unsigned char small[16] = {0};

    if (len >= 32) {
        for (; end - p > 32; p += 32)
            s = lc_hash_block(s, p, p + 16);
        s = lc_hash_block(s, end - 32, end - 16);
    } else if (len >= 16) {
        s = lc_hash_block(s, p, end - 16);
    } else {
        for (size_t i = 0; i < len; i++)
            small[i] = p[i];
        s = lc_hash_block(s, small, small);
    }
    return lc_hash_fold(s.a ^ LC_HASH_P5, s.b ^ len);
}

#endif
