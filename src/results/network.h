/* SPDX-License-Identifier: MIT */
/* network.h - private to src/results: may SQLite's locks be trusted here? */
#ifndef LC_RESULTS_NETWORK_H
#define LC_RESULTS_NETWORK_H

#include <stdbool.h>

/* Is the directory of 'file' on a file system that other hosts may see? Unknown ones are not. */
bool lc_network_holds(const char *file);

#endif
