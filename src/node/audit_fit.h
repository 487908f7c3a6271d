/* SPDX-License-Identifier: MIT */
/* audit_fit.h - remember, per node, which programs can be started under our auditor. Freestanding.
 *
 * Under any auditor, glibc places all thread variables that libraries need at fixed offsets (static
 * TLS) in a small reserve; without an auditor it makes that reserve as large as the libraries at
 * program start need. The tunable glibc.rtld.optional_static_tls enlarges it. Before a program is
 * started for the first time on a node, its need is measured (preflight.h). */
#ifndef LC_NODE_AUDIT_FIT_H
#define LC_NODE_AUDIT_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "node/attach.h"
#include "node/format.h"

#define LC_TLS_TUNABLE "glibc.rtld.optional_static_tls"

enum lc_fit_kind {
    LC_FIT_UNKNOWN,
    LC_FIT_YES,      /* if tls_bytes are added to the reserve */
    LC_FIT_NO_AUDIT, /* only without the auditor */
    LC_FIT_NOTHING,  /* only without all objects of ours */
};

struct lc_fit {
    enum lc_fit_kind kind;
    uint32_t tls_bytes;
    uint32_t staged; /* libraries at program start that the auditor would have served */
};

enum {
    LC_FIT_SPARE = 512, /* the tunable's default */
    /* glibc adds this much to the reserve for each auditor, for the auditor's own libraries; ours
       has none. Up to this size a program has as much room as without an auditor; see lc_fit_free.
     */
    LC_FIT_FREE = 288,
    /* Room that a program gets for the needs of other recorded programs: a program that it starts
       by its own system call inherits its environment without our doing. Not more, because it is
       taken from thread stacks, the smallest of which have 16 KiB. */
    LC_FIT_MOST_FOR_OTHERS = 4096,
    LC_FIT_DIGITS = 16, /* digits of our setting; users do not write that many zeros */
};

/* A hash of a program and of what decides which libraries it loads: the file, its size and mtime,
 * and LD_PRELOAD (without ours) and LD_LIBRARY_PATH in the environment. Never 0. */
uint64_t lc_fit_key(const char *file, char *const *env);
uint64_t lc_fit_key_of(const struct lc_file_status *file,
                       char *const *env); /* of a file that is there */

/* Find what is known of a program (LC_FIT_UNKNOWN: nothing), and store it. */
struct lc_fit lc_fit_find(const struct lc_fit_slot table[LC_FITS], uint64_t key);
void lc_fit_put(struct lc_fit_slot table[LC_FITS], uint64_t key, const struct lc_fit *fit);

/* LC_FIT_FREE if it was tested with glibc 2.'minor'; else 0. */
uint64_t lc_fit_free(uint32_t minor);

/* Count a program that was started without the auditor, and store the reason if it is the first. */
void lc_fit_note_refusal(struct lc_live *live, const char *why, const char *program);

/* The settings of glibc.rtld.optional_static_tls in GLIBC_TUNABLES; the last one is in force. Ours
 * is written with LC_FIT_DIGITS hexadecimal digits, so that it can be told from the user's. 0: not
 * set. */
struct lc_fit_room {
    uint64_t users, ours;
};
struct lc_fit_room lc_fit_room(const char *tunables); /* may be NULL */

/* The bytes to set for a program; 0: none. 'recorded': the most that any recorded program needs
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

/* Was this item of GLIBC_TUNABLES set by the launcher? */
static inline bool lc_fit_is_our_room(const char *item)
{
    const char *value = lc_fit_value(item, LC_TLS_TUNABLE);
    unsigned n = 0;

    if (!value || value[0] != '0' || value[1] != 'x')
        return false;
    while (value[2 + n] && value[2 + n] != ':')
        n++;
    return n == LC_FIT_DIGITS;
}

#endif
