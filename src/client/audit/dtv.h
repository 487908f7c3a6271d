/* SPDX-License-Identifier: MIT */
/* dtv.h - room for thread variables of libraries that are opened later. Freestanding.
 *
 * Each thread has a table (the DTV) with a slot for each object that has thread variables. Under
 * any auditor ld.so allocates the main thread's table early, before the C library is there. If more
 * than 14 objects with thread variables are linked, it grows that table, still by its own
 * allocator; when a dlopen makes it grow once more, it hands that block to the C library's realloc,
 * which ends the program (glibc bug 32412, mended in 2.42 and in later updates of 2.39 to 2.41). */
#ifndef LC_AUDIT_DTV_H
#define LC_AUDIT_DTV_H

#include <link.h>
#include <stdbool.h>

struct lc_dtv {
    bool has_program, is_done;
};

/* That is so from the moment ld.so has an auditor to load, also if that auditor then wants nothing
 * (la_version returns 0): one that is switched off stays all the same, for this. */

/* From la_objopen. */
void lc_dtv_opened(struct lc_dtv *d, const struct link_map *map, Lmid_t lmid);

/* From la_activity, for LA_ACT_CONSISTENT. The first time that the program is there, start-up is
 * complete and no constructor has run: if the main thread's table has grown already, give it one
 * that is large enough for ever. */
void lc_dtv_consistent(struct lc_dtv *d);

#endif
