/* SPDX-License-Identifier: MIT */
/* service.h - the work of a stormfs process, in the foreground or in the background */
#ifndef LC_STORMFS_SERVICE_H
#define LC_STORMFS_SERVICE_H

#include "stormfs/options.h"
#include "util/error.h"

struct lc_service;

/* Prepare and mount. NULL with err filled: everything is undone. */
struct lc_service *lc_service_start(struct lc_options *o, struct lc_error *err);

/* Serves until a signal, 'stop', the end of the watched process, or the last unmount; then ends the
 * process. */
void lc_service_run(struct lc_service *s) __attribute__((noreturn));

#endif
