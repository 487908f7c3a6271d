/* SPDX-License-Identifier: MIT */
/* elf_build_id.h - build-ids of what gen writes: as long as the linker's, made from XXH3 */
#ifndef LC_GEN_ELF_BUILD_ID_H
#define LC_GEN_ELF_BUILD_ID_H

#include <stdint.h>
#include <string.h>
#include <xxhash.h>

enum {
    LC_BUILD_ID_BYTES = 20,
    LC_NOTE_HEAD = 16, /* ahead of it in its note */
};

/* 16 bytes of the hash and 4 of the hash's own. */
static inline void lc_build_id(XXH128_hash_t hash, uint8_t *out)
{
    XXH128_canonical_t low;
    XXH64_canonical_t high;

    XXH128_canonicalFromHash(&low, hash);
    XXH64_canonicalFromHash(&high, XXH3_64bits_withSeed(low.digest, sizeof(low.digest), 1));
    memcpy(out, low.digest, sizeof(low.digest));
    memcpy(out + sizeof(low.digest), high.digest, LC_BUILD_ID_BYTES - sizeof(low.digest));
}

#endif
