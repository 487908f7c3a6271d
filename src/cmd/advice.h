/* SPDX-License-Identifier: MIT */
/* advice.h - what to record so that a path that was passed through is answered next time */
#ifndef LC_CMD_ADVICE_H
#define LC_CMD_ADVICE_H

#include <stdbool.h>
#include <stddef.h>

/* Shorten 'path', in place, to what 'record --add' should be given for it: a Python package below
 * site-packages or dist-packages, or a file that is loaded code (a shared object, a module). False:
 * nothing should be proposed, because the path may be data or a whole directory of the user, or
 * because the image itself is below it ('image' may be NULL). Makes no request to the file system.
 */
bool lc_advice_shorten(char *path, const char *image);

#endif
