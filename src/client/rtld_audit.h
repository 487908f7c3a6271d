/* SPDX-License-Identifier: MIT */
/* rtld_audit.h - what ld.so calls in an auditor of ours, for the whole process to see */
#ifndef LC_RTLD_AUDIT_H
#define LC_RTLD_AUDIT_H

#include <link.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT unsigned la_version(unsigned version);
EXPORT char *la_objsearch(const char *name, uintptr_t *cookie, unsigned flag);
EXPORT unsigned la_objopen(struct link_map *map, Lmid_t lmid, uintptr_t *cookie);
EXPORT unsigned la_objclose(uintptr_t *cookie);
EXPORT void la_preinit(uintptr_t *cookie);
EXPORT void la_activity(uintptr_t *cookie, unsigned flag);

#endif
