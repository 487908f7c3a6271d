/* SPDX-License-Identifier: MIT */
/* python_hook.h - what the preload calls of the import seam; src/client/python/ defines it, and
 * builds on the preload, not the other way round */
#ifndef LC_PRELOAD_PYTHON_HOOK_H
#define LC_PRELOAD_PYTHON_HOOK_H

/* The process starts: watch for a Python interpreter, and install the import seam in it. */
void lc_python_start(char **env);

#endif
