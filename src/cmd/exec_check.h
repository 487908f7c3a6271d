/* SPDX-License-Identifier: MIT */
/* exec_check.h - is the image still true when a program is started from it by hand? */
#ifndef LC_CMD_EXEC_CHECK_H
#define LC_CMD_EXEC_CHECK_H

#include <limits.h>
#include <stdbool.h>

/* Outside a job and a parallel program one process checks the image, and mends it; 'use'
 * gets the image that is true now: 'image' or an overlay of it. In a job, where a check by each
 * rank would be the storm, the first rank says if the image has not been checked for long. What
 * there is to say goes to standard error, unless 'quiet'. Never fails: in doubt 'use' is 'image'.
 */
void lc_exec_check(const char *image, bool quiet, char use[PATH_MAX]);

#endif
