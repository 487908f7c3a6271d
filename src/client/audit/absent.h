/* SPDX-License-Identifier: MIT */
/* absent.h - what ld.so is told of a library that is nowhere. Freestanding.
 *
 * A dlopen() of a library that the image knows to be absent fails without the disk being asked:
 * ld.so is given a path of ours where nothing is (NODE/none/ and the name), fails to open it, and
 * says so in dlerror()'s text, where our preload puts the name back (preload/dlerror.c). */
#ifndef LC_AUDIT_ABSENT_H
#define LC_AUDIT_ABSENT_H

#include <link.h>
#include <stdbool.h>

#include "image/format.h"
#include "node/attach.h"

struct lc_absent {
    bool is_last;     /* no auditor after ours would see the path */
    bool is_debugged; /* LD_DEBUG: the user wants to see ld.so search */
    bool is_started;
    char path[LC_PATH_MAX];
};

/* 'audit': LD_AUDIT; 'own': the node directory that this auditor lies in. */
void lc_absent_begin(struct lc_absent *a, const char *audit, const char *own, bool is_debugged);

/* All objects of the start are there. From now on ld.so searches for dlopen() only, and tells of
 * failures by dlerror() only. */
void lc_absent_started(struct lc_absent *a, const struct link_map *program);

/* The answer for a name or whole path that is nowhere; NULL: ld.so is to find out itself. */
char *lc_absent_answer(struct lc_absent *a, const struct lc_node *node, const char *name);

#endif
