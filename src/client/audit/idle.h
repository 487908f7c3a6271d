/* SPDX-License-Identifier: MIT */
/* idle.h - an auditor that has nothing to do in this process. Freestanding. */
#ifndef LC_CLIENT_AUDIT_IDLE_H
#define LC_CLIENT_AUDIT_IDLE_H

/* What la_version shall return: 0, and ld.so forgets about the auditor; or, where that would kill
 * the program, the version, and the auditor must do nothing from then on. */
unsigned lc_idle_version(unsigned version);

#endif
