/* SPDX-License-Identifier: MIT */
/* preflight.h - determine what a program would load at its start, and whether that would succeed.
 * Freestanding.
 *
 * Runs the program's ld.so as ldd(1) does, with our auditor measuring each object. Neither the
 * program nor a constructor is run. Costs about as much as a start of the program. */
#ifndef LC_NODE_PREFLIGHT_H
#define LC_NODE_PREFLIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include "node/audit_fit.h"

/* Environment variable for the auditor: the descriptor to write to, as a decimal number. */
#define LC_PREFLIGHT_VARIABLE "LOADCAST_PREFLIGHT"

enum lc_preflight_flag {
    LC_OBJECT_PROGRAM = 1,
    LC_OBJECT_ASAN = 2,    /* it contains AddressSanitizer's runtime */
    LC_OBJECT_TUNABLE = 4, /* it is an ld.so that knows LC_TLS_TUNABLE */
    LC_OBJECT_STAGED = 8,  /* it is loaded from node memory */
};

/* What the auditor writes for one object, with a single write. */
struct lc_preflight_object {
    uint32_t tls_bytes; /* size and alignment of its thread variables; 0: it has none */
    uint16_t flags;
    uint16_t glibc; /* the newest GLIBC_2.x that it defines */
};

struct lc_preflight {
    uint64_t tls_bytes;   /* sum over all objects but the program */
    uint32_t tls_objects; /* objects with thread variables, the program included */
    uint32_t staged;
    uint32_t glibc;
    bool has_asan, has_tunable;
    bool has_failed; /* ld.so could not load it */
};

/* Add one object to what was measured. */
void lc_preflight_count(struct lc_preflight *out, const struct lc_preflight_object *object);

/* Can a program with these objects run under our auditor as it is, with no room reserved for thread
 * variables? */
bool lc_preflight_is_fit(const struct lc_preflight *seen);

/* Run 'file' in this way, in the environment 'env' with LD_AUDIT replaced by 'audit'. False if it
 * could not be run, or no object was measured. */
bool lc_preflight_run(struct lc_preflight *out, const char *file, char *const *env,
                      const char *audit);

/* Is the program fit as it is? Measured in a child, so that no signal reaches this process. */
bool lc_preflight_fits(const char *file, char *const *env, const char *audit);

/* Run a program and wait for its end, as a child whose end is not signalled to the process. False
 * if it could not be run. */
bool lc_preflight_wait_for(const char *file, char *const argv[], char *const env[]);

#endif
