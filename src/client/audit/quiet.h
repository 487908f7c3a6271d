/* SPDX-License-Identifier: MIT */
/* quiet.h - keep ld.so from asking whether a directory it searches is there. Freestanding.
 *
 * When a place on its search is passed over, ld.so asks the kernel whether the place's directory
 * exists at all, once for each; no hook stands in front of that. But it asks by the very text it
 * has given to the auditor, which it keeps on its stack: there the answer can be put. Two letters
 * are taken out of it, and put back before anything else is done with the text. */
#ifndef LC_AUDIT_QUIET_H
#define LC_AUDIT_QUIET_H

#include <stdbool.h>

/* 'audit': LD_AUDIT; 'own': the name of this auditor. Others before it would see the text without
 * its letters, and LD_DEBUG would print it so: then nothing is done. */
void lc_quiet_begin(const char *audit, const char *own, bool is_debugged);

/* ld.so hands over a text: if it is the one that was changed, it gets its letters back. */
void lc_quiet_restore(const char *text);

/* A place is passed over, and it is known whether its directory exists. */
void lc_quiet_answer(const char *place, bool exists);

#endif
