/* SPDX-License-Identifier: MIT */
/* machine.h - can Loadcast do its work on this machine? */
#ifndef LC_DOCTOR_MACHINE_H
#define LC_DOCTOR_MACHINE_H

#include <stddef.h>

enum lc_finding_level {
    LC_FINDING_OK,
    LC_FINDING_NOTE,    /* less is served, or something is not there that may not be needed */
    LC_FINDING_PROBLEM, /* something does not work */
};

struct lc_finding {
    const char *name; /* "node memory" */
    enum lc_finding_level level;
    char text[512];
    char next[512]; /* what to do */
};

enum { LC_FINDINGS = 24 };

struct lc_machine_findings {
    struct lc_finding finding[LC_FINDINGS];
    size_t count, problems;
};

/* Examine this machine; 'dir' as --dir, or NULL. Starts only programs that must be asked for their
 * version: srun, a launcher whose kind cannot be told from its link, and a Python whose link does
 * not tell its version. */
void lc_machine_examine(struct lc_machine_findings *machine, const char *dir);

/* "ok", "note", "problem" */
const char *lc_finding_level_name(enum lc_finding_level level);

#endif
