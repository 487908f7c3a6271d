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

/* Start-up is complete and no constructor has run: if the main thread's table has grown already,
 * give it one that is large enough for ever. */
void lc_dtv_make_room(void);

#endif
