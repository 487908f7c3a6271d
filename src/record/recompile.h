/* SPDX-License-Identifier: MIT */
/* recompile.h - keep the .pyc files of our own making true */
#ifndef LC_RECORD_RECOMPILE_H
#define LC_RECORD_RECOMPILE_H

#include <stddef.h>

#include "image/image.h"
#include "record/read_path.h"
#include "record/probe.h"
#include "record/pyc.h"

/* After the other nodes were brought up to date: compile anew what was made from a source that
 * changed, take over a good file that now stands in its place, drop what cannot be compiled. *same
 * counts those left alone. With 'dry_run' no interpreter is started: what is out of date is named
 * and dropped. 'why' is filled when one could not, or may not, be started. 0, or -1 with errno. */
int lc_recompile(const struct lc_image *image, struct lc_path_reader *reader,
                 const struct lc_probing *probing, bool dry_run, size_t *same, struct lc_error *why,
                 int (*tell)(void *arg, const char *what, const char *path), void *arg);

/* Put a compiled one into the tree, with the stat its loader expects. -1 with errno. */
int lc_pyc_place(struct lc_path_reader *reader, const struct lc_pyc *made);

#endif
