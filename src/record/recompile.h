/* SPDX-License-Identifier: MIT */
/* recompile.h - update the .pyc files that exist only in the image */
#ifndef LC_RECORD_RECOMPILE_H
#define LC_RECORD_RECOMPILE_H

#include <stddef.h>

#include "image/image.h"
#include "record/read_path.h"
#include "record/probe.h"
#include "record/pyc.h"

/* Call after all other entries are up to date. Compiles bytecode again if its source changed, uses
 * an up-to-date file that has appeared in its place, and drops what cannot be compiled. *same
 * counts entries that needed no change. With 'dry_run' no interpreter is started: outdated entries
 * are reported by tell() and dropped. 'why' is filled if an interpreter could not, or may not, be
 * started. 0, or -1 with errno. */
int lc_recompile(const struct lc_image *image, struct lc_path_reader *reader,
                 const struct lc_probing *probing, bool dry_run, size_t *same, struct lc_error *why,
                 int (*tell)(void *arg, const char *what, const char *path), void *arg);

/* Add a compiled .pyc file to the tree, with the stat that Python expects. 0, or -1 with errno. */
int lc_pyc_place(struct lc_path_reader *reader, const struct lc_pyc *made);

#endif
