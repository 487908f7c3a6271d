/* SPDX-License-Identifier: MIT */
/* preflight.h - what would a program load at start, and would that succeed? Freestanding.
 *
 * Its ld.so is run as by ldd(1), with an auditor of ours that measures each object it sees. Neither
 * the program nor a constructor is run. Costs a start-up of the program. */
#ifndef LC_NODE_PREFLIGHT_H
#define LC_NODE_PREFLIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include "node/audit_fit.h"

/* For the auditor: the descriptor to write to, as a decimal number. */
#define LC_PREFLIGHT_VARIABLE "LOADCAST_PREFLIGHT"

enum lc_preflight_flag {
    LC_OBJECT_PROGRAM = 1,
    LC_OBJECT_ASAN = 2,    /* AddressSanitizer's runtime is in it */
    LC_OBJECT_TUNABLE = 4, /* it is an ld.so that knows LC_TLS_TUNABLE */
    LC_OBJECT_STAGED = 8,  /* from node memory */
};

/* One object, in one write. */
struct lc_preflight_object {
    uint32_t tls_bytes; /* size and alignment of its thread variables; 0: it has none */
    uint16_t flags;
    uint16_t glibc; /* the newest GLIBC_2.x that it defines */
};

struct lc_preflight {
    uint64_t tls_bytes;   /* over all objects but the program itself */
    uint32_t tls_objects; /* with the program */
    uint32_t staged;
    uint32_t glibc;
    bool has_asan, has_tunable;
    bool has_failed; /* ld.so could not load it */
};

/* Run 'file' so, in the environment 'env' but for LD_AUDIT, which is 'audit'. False: it could not
 * be run, or no object was seen. */
bool lc_preflight_run(struct lc_preflight *out, const char *file, char *const *env,
                      const char *audit);

/* Run a program to its end, as a child of which nobody else hears; false: it could not be run. */
bool lc_preflight_wait_for(const char *file, char *const argv[], char *const env[]);

#endif
