/* SPDX-License-Identifier: MIT */
/* serve.h - ld.so's questions answered from the node directory. Freestanding.
 *
 * ld.so holds its lock while it asks, so that one buffer is enough. */
#ifndef LC_AUDIT_SERVE_H
#define LC_AUDIT_SERVE_H

#include <stdbool.h>
#include <stdint.h>

/* Attach to the node directory the environment names. False: leave everything alone. */
bool lc_serve_begin(void);

/* The program's own file, by its original name. */
const char *lc_serve_executable(void);

/* What ld.so is to try instead of a path: another path, the path itself, or, for a place that it
 * thought of on its search, NULL to pass it over. */
char *lc_serve_path(const char *path, bool is_candidate);

/* The same for a bare name that 'loader' asks for; 'chain' as in chain.h. */
char *lc_serve_name(const char *name, const char *loader, uint64_t chain);

/* A staged object's name becomes its original's, in place: it is a part of it. */
void lc_serve_rename(char *name);

#endif
