/* SPDX-License-Identifier: MIT */
/* memory.h - how much of a node's memory an arm's files take */
#ifndef LC_BENCH_MEMORY_H
#define LC_BENCH_MEMORY_H

#include <stdint.h>

/* Add up what the words name on this node: "held:DIR" is a tree in memory, "cached:PATH" a tree or
 * file of which some pages are cached, "server:DIR" the process that serves the mount DIR. */
uint64_t lc_memory_count(char *const *words);

#endif
