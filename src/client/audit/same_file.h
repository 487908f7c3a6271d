/* SPDX-License-Identifier: MIT */
/* same_file.h - one file, reached by a path that the image knows and by one that it does not, stays
 * one library. Freestanding.
 *
 * ld.so tells by device and inode whether a file is loaded already. A staged copy has others than
 * its original, so that it must not load the one where the other is there. Only objects of the base
 * namespace are known here. */
#ifndef LC_AUDIT_SAME_FILE_H
#define LC_AUDIT_SAME_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "node/attach.h"

/* ld.so is answered with the staged copy of an entry: false if it must be the original, because
 * that is loaded. */
bool lc_same_file_may_stage(const struct lc_node *node, uint32_t entry);

/* ld.so is answered with a path of the file system: the entry whose staged copy is loaded, and of
 * which this is the original; or LC_NONE. *is_there: there is such a file. */
uint32_t lc_same_file_pass(const struct lc_node *node, const char *path, bool *is_there);

/* Is the staged copy of the last answer loaded already? */
bool lc_same_file_is_loaded(const struct lc_node *node);

/* The question under way is about another object. */
void lc_same_file_asked(void);

/* The object of the last answer was loaded, or one is unloaded; by its number in chain.h. */
void lc_same_file_opened(uintptr_t cookie);
void lc_same_file_closed(uintptr_t cookie);

#endif
