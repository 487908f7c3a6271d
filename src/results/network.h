/* SPDX-License-Identifier: MIT */
/* network.h - private to src/results: is a file on a network file system, where
 * SQLite's locks cannot be trusted? */
#ifndef LC_RESULTS_NETWORK_H
#define LC_RESULTS_NETWORK_H

#include <stdbool.h>

/* Is the directory of 'file' on a file system that several hosts may mount? False for unknown
 * types. */
bool lc_network_has_file(const char *file);

#endif
