/* SPDX-License-Identifier: MIT */
/* search_key.h - the environment and processor on which ld.so's search results depend.
 * Freestanding. */
#ifndef LC_NODE_SEARCH_KEY_H
#define LC_NODE_SEARCH_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Strings are empty if not set. */
struct lc_key {
    uint64_t hwcap, hwcap2;
    uint64_t cache;     /* XXH64 of ld.so.cache, and */
    uint32_t cpu_level; /* lc_key_cpu_level(): both are filled in by the caller, if it needs them */
    const char *platform;
    uint64_t page_bytes;            /* of the kernel's pages */
    uint64_t headers, header_count; /* address and number of the program's program headers */
    bool has_environment;           /* the environment could be read */
    char tunables[1024];
    char library_path[8192];
    char executable[4096];
};

/* A variable to be read from this process's environment. */
struct lc_variable {
    const char *name;
    char *out;
    size_t room; /* of out, at least 1 */
    int found;   /* 1: out holds it; 0: it is not set; -1: out holds its beginning only */
};

/* Read a variable from /proc/self/environ, which has the values at program start. False if it is
 * not set, does not fit, or cannot be read. */
bool lc_key_environment(const char *name, char *out, size_t room);

/* Fill the key, but for the processor's level and the cache, and up to 14 further variables in one
 * reading of the environment. False if a part of the key is not certain. */
bool lc_key_read(struct lc_key *key, struct lc_variable *also, size_t count);

/* XXH64 of ld.so.cache; 0 if there is none. */
uint64_t lc_key_hash_cache(void);

/* N of this processor's level x86-64-vN, as in glibc-hwcaps; 0 on other architectures. Takes 25 us
 * in a virtual machine, where the hypervisor answers each question about the processor. */
uint32_t lc_key_cpu_level(void);

#endif
