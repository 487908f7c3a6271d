/* SPDX-License-Identifier: MIT */
/* exec_check.h - does the image still match the files when 'exec' is called by hand? */
#ifndef LC_CMD_EXEC_CHECK_H
#define LC_CMD_EXEC_CHECK_H

#include <limits.h>
#include <stdbool.h>

/* Outside a job and a parallel program one process checks the image and records what has changed in
 * an overlay; 'use' gets the image to use: 'image' or the overlay. In a job, a check by each rank
 * would overload the file system, so the first rank only warns if the last check was long ago.
 * Messages go to standard error, unless 'quiet'. Never fails: in doubt 'use' is 'image'. */
void lc_exec_check(const char *image, bool quiet, char use[PATH_MAX]);

#endif
