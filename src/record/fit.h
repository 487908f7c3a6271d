/* SPDX-License-Identifier: MIT */
/* fit.h - which of our objects the pilot's program can be started with */
#ifndef LC_RECORD_FIT_H
#define LC_RECORD_FIT_H

#include <stdbool.h>
#include <stdint.h>

#include "node/audit_fit.h"

struct lc_record_fit {
    const char *why_not; /* it gets none of our objects; NULL: it gets them */
    uint32_t tls_bytes;  /* thread variables of its libraries, if they need more than there is */
    uint64_t tls_room;   /* bytes for glibc.rtld.optional_static_tls; 0: as it is */
};

/* May change ASAN_OPTIONS in this process's environment. Look at the program 'name' as execvp would
 * find it, and what it loads at start under 'audit'. */
struct lc_record_fit lc_record_fit(const char *name, const char *audit);

/* The same for a program that the pilot starts with the environment 'env'. One with
 * AddressSanitizer gets none of our objects (LC_FIT_NOTHING), whatever its options. */
struct lc_fit lc_record_fit_measure(const char *file, char *const *env, const char *audit);

/* Put tls_room into this process's environment. */
void lc_record_fit_set(const struct lc_record_fit *fit);

#endif
