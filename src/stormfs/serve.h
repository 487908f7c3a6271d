/* SPDX-License-Identifier: MIT */
/* serve.h - the life of a stormfs process, from the command line to its end */
#ifndef LC_STORMFS_SERVE_H
#define LC_STORMFS_SERVE_H

#include "stormfs/options.h"
#include "util/error.h"

/* Mount and serve: in the background (then returns once mounted) or until the end. 0, or -1 with
 * err filled, nothing mounted and no process left. */
int lc_serve(struct lc_options *options, struct lc_error *err);

#endif
