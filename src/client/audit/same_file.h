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
#include "node/loaded_objects.h"

enum { LC_ORIGINALS = 256 };

struct lc_original {
    uint64_t dev, ino;
    uintptr_t cookie; /* 0: free */
};

struct lc_same_file {
    struct {               /* the last answer */
        uint32_t entry;    /* or LC_NONE */
        uint64_t dev, ino; /* 0: none of the image's file systems */
    } answer;
    unsigned original_count;                   /* places in use, with free ones between */
    uintptr_t last_staged;                     /* the highest cookie that has a staged copy */
    uint32_t staged[LC_OBJECTS_MAX];           /* entry + 1 by cookie; 0: none */
    struct lc_original original[LC_ORIGINALS]; /* loaded from the image's own file systems */
};

/* ld.so is answered with the staged copy of an entry: false if it must be the original, because
 * that is loaded. */
bool lc_same_file_may_stage(struct lc_same_file *f, const struct lc_node *node, uint32_t entry);

/* ld.so is answered with a path of the file system: the entry whose staged copy is loaded, and of
 * which this is the original; or LC_NONE. *is_there: there is such a file. */
uint32_t lc_same_file_pass(struct lc_same_file *f, const struct lc_node *node, const char *path,
                           bool *is_there);

/* Is the staged copy of the last answer loaded already? */
bool lc_same_file_is_loaded(const struct lc_same_file *f, const struct lc_node *node);

/* The question under way is about another object. To be called first of all. */
void lc_same_file_asked(struct lc_same_file *f);

/* The object of the last answer was loaded, or one is unloaded; by its number in loaded_objects.h.
 */
void lc_same_file_opened(struct lc_same_file *f, uintptr_t cookie);
void lc_same_file_closed(struct lc_same_file *f, uintptr_t cookie);

#endif
