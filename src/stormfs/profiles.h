/* SPDX-License-Identifier: MIT */
/* profiles.h - the shared file systems that stormfs can simulate
 *
 * FROZEN: the numbers are derived in doc/stormfs-profiles.md and asserted by profiles_test.c.
 * Benchmarks are compared across versions by them; they are not for tuning. */
#ifndef LC_STORMFS_PROFILES_H
#define LC_STORMFS_PROFILES_H

struct lc_profile {
    const char *name;
    long servers;            /* metadata servers that take from one queue */
    double service_us;       /* one metadata request on one of them */
    double latency_us;       /* round trip; occupies no server */
    double bandwidth_mb_s;   /* of the data path, all clients together; 0: no limit */
    double cache_s;          /* names of files; 0: every call with a path sends a look-up */
    double attr_cache_s;     /* attributes of files */
    double dir_cache_s;      /* names and attributes of directories */
    double negative_cache_s; /* names found absent */
};

/* NULL if no profile has that name. */
const struct lc_profile *lc_profile_find(const char *name);

/* All names, ending with NULL. */
extern const char *const lc_profile_names[];

#endif
