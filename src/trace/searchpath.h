/* SPDX-License-Identifier: MIT */
/* searchpath.h - where ld.so searches for an object's libraries, from the object's ELF headers */
#ifndef LC_TRACE_SEARCHPATH_H
#define LC_TRACE_SEARCHPATH_H

#include <stdbool.h>

/* "RPATH" or "RUNPATH" if that tag of the ELF file names 'dir' ($ORIGIN expanded); else NULL. */
const char *lc_searchpath_tag(const char *file, const char *dir);

/* Is it one of ld.so's default directories, which it searches last? */
bool lc_searchpath_is_default(const char *dir);

/* Is this a sub-directory ld.so tries for better hardware ("tls", "haswell", "glibc-hwcaps")? */
bool lc_searchpath_is_level(const char *name);

/* Cut such sub-directories off the end of a directory's path. "x86_64" alone may be a user's own
 * directory name, and is cut only if 'all'. */
void lc_searchpath_cut_levels(char *dir, bool all);

#endif
