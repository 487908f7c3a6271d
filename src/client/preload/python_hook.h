/* SPDX-License-Identifier: MIT */
/* python_hook.h - the function of src/client/python that the preload object calls at its start */
#ifndef LC_PRELOAD_PYTHON_HOOK_H
#define LC_PRELOAD_PYTHON_HOOK_H

/* Called at the start of a process that is attached to a node directory, or runs in a pilot: if a
 * Python interpreter is started in it, install the import seam; in a pilot, what records imports
 * that find nothing. */
void lc_python_start(char **env);

#endif
