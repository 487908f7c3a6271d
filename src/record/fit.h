/* SPDX-License-Identifier: MIT */
/* fit.h - can a program of the pilot start with Loadcast's audit and preload objects?
 *
 * Some programs cannot: AddressSanitizer's runtime must be loaded first, and static TLS of the
 * libraries may not fit beside an auditor unless a glibc tunable reserves more. */
#ifndef LC_RECORD_FIT_H
#define LC_RECORD_FIT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "node/audit_fit.h"

struct lc_record_fit {
    const char *why_not; /* why the program must start without them; NULL: it can have them */
    uint32_t tls_bytes;  /* static TLS of its libraries if that exceeds glibc's reserve, else 0 */
    bool is_privileged;  /* it, or the interpreter of a script, has rights of its own */
    bool is_dynamic;     /* glibc's ld.so starts it, or the interpreter of a script */
    bool is_measured;    /* what it loads is known */
    uint64_t tls_room;   /* bytes for glibc.rtld.optional_static_tls; 0: leave it unchanged */
};

/* Examine the program 'name', found as by execvp, and the libraries that it loads at its start with
 * the auditor 'audit'; NULL: the program alone. For a program with AddressSanitizer this sets
 * ASAN_OPTIONS in this process's environment. */
struct lc_record_fit lc_record_fit(const char *name, const char *audit);

/* Examine the program 'file', which the pilot starts with the environment 'env'. A program with
 * AddressSanitizer is always started without our objects (LC_FIT_NOTHING). */
struct lc_fit lc_record_fit_measure(const char *file, char *const *env, const char *audit);

/* Set tls_room as a tunable in this process's environment. */
void lc_record_fit_set(const struct lc_record_fit *fit);

struct lc_pilot;

/* The traced process 'tid' stands before the first instruction of a new program. Change the
 * program's environment so that it can start: without our objects, or with room for its static TLS.
 */
void lc_record_fit_child(struct lc_pilot *pilot, pid_t tid);

#endif
