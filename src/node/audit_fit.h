/* SPDX-License-Identifier: MIT */
/* audit_fit.h - which programs can be started under our auditor, remembered for the node.
 * Freestanding.
 *
 * Under any auditor glibc keeps all thread variables that libraries want at fixed places (static
 * TLS) in a small spare room; without one it makes that room as large as the libraries at start
 * need. The tunable glibc.rtld.optional_static_tls makes it larger. Before a program is started
 * for the first time on a node, its need is measured (preflight.h). */
#ifndef LC_NODE_AUDIT_FIT_H
#define LC_NODE_AUDIT_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "node/format.h"

#define LC_TLS_TUNABLE "glibc.rtld.optional_static_tls"

enum lc_fit_kind {
    LC_FIT_UNKNOWN,
    LC_FIT_YES,      /* with tls_bytes added to the spare room */
    LC_FIT_NO_AUDIT, /* without the auditor only */
    LC_FIT_NOTHING,  /* without any object of ours */
};

struct lc_fit {
    enum lc_fit_kind kind;
    uint32_t tls_bytes;
    uint32_t staged; /* libraries at start that the auditor would have served */
};

enum {
    LC_FIT_SPARE = 512, /* the tunable's default */
    /* glibc adds so much to the spare room for each auditor, for libraries of the auditor's own;
     * ours has none. Up to here a program has as much as without an auditor; see lc_fit_free. */
    LC_FIT_FREE = 288,
    /* Room that a program gets for what other recorded programs need: one that it starts by a
     * system call of its own inherits its environment unseen. Not more: it is taken from thread
     * stacks, and the smallest has 16 KiB. */
    LC_FIT_MOST_FOR_OTHERS = 4096,
};

/* A number for a program and what decides which libraries it loads: the file, its size and time,
 * and the environment's LD_PRELOAD (but for ours) and LD_LIBRARY_PATH. Never 0. */
uint64_t lc_fit_key(const char *file, char *const *env);

/* What is known; LC_FIT_UNKNOWN: nothing. */
struct lc_fit lc_fit_find(const struct lc_fit_slot table[LC_FITS], uint64_t key);
void lc_fit_put(struct lc_fit_slot table[LC_FITS], uint64_t key, const struct lc_fit *fit);

/* LC_FIT_FREE with glibc 2.'minor', if that was tested; else nothing. */
uint64_t lc_fit_free(uint32_t minor);

/* Remember the first reason why a program went without, and count it. */
void lc_fit_refused(struct lc_live *live, const char *why, const char *program);

/* The settings of glibc.rtld.optional_static_tls in GLIBC_TUNABLES, of which the last counts. Ours
 * is written in hexadecimal, so that it can be told from the user's. 0: there is none. */
struct lc_fit_room {
    uint64_t users, ours;
};
struct lc_fit_room lc_fit_room(const char *tunables); /* may be NULL */

/* What is to be set for a program; 0: nothing. 'recorded': the most that any recorded program needs
 * (lc_state.tls_bytes). */
uint64_t lc_fit_wanted(const struct lc_fit *fit, uint32_t recorded, uint64_t users);

/* The value of "NAME=value", or NULL if it is another variable. */
static inline const char *lc_fit_value(const char *variable, const char *name)
{
    while (*name && *variable == *name) {
        variable++;
        name++;
    }
    return !*name && *variable == '=' ? variable + 1 : NULL;
}
const char *lc_fit_variable(char *const *env, const char *name);

/* Is this item of GLIBC_TUNABLES the launcher's? */
static inline bool lc_fit_is_our_room(const char *item)
{
    const char *value = lc_fit_value(item, LC_TLS_TUNABLE);

    return value && value[0] == '0' && value[1] == 'x';
}

#endif
