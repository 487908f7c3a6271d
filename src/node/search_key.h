/* SPDX-License-Identifier: MIT */
/* search_key.h - where ld.so's search results hold: environment and processor. Freestanding. */
#ifndef LC_NODE_SEARCH_KEY_H
#define LC_NODE_SEARCH_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Strings are empty where there is no such thing. */
struct lc_key {
    uint64_t hwcap, hwcap2;
    uint64_t cache; /* XXH64 of ld.so.cache: for the caller to fill in */
    uint32_t cpu_level;
    const char *platform;
    uint64_t headers, header_count; /* the program's own program headers, in memory */
    bool has_environment;           /* it could be read */
    char executable[4096];
    char library_path[8192];
    char tunables[1024];
};

/* A variable of this process's environment that is wanted. */
struct lc_variable {
    const char *name;
    char *out;
    size_t room; /* of out, at least 1 */
    int found;   /* 1: out holds it; 0: it is not set; -1: out holds its beginning only */
};

/* Read a variable from /proc, as a stream: what was there when the program started. False if it is
 * not set, does not fit, or cannot be read. */
bool lc_key_environment(const char *name, char *out, size_t room);

/* Fill the key, and up to 14 variables besides: the environment is read once. False if anything of
 * the key cannot be told for sure. */
bool lc_key_read(struct lc_key *key, struct lc_variable *also, size_t count);

/* XXH64 of ld.so.cache; 0 if there is none. */
uint64_t lc_key_hash_cache(void);

/* x86-64-vN of this processor, as glibc-hwcaps counts it; 0 elsewhere. */
uint32_t lc_key_cpu_level(void);

#endif
