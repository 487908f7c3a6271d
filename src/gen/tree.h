/* SPDX-License-Identifier: MIT */
/* tree.h - the output directory: which files gen makes there, and how to remove exactly those
 *
 * Before anything else is written, the file LC_TREE_MARKER lists every name that will be made. It
 * stays, and is what --force and the removal of a partial output go by. */
#ifndef LC_GEN_TREE_H
#define LC_GEN_TREE_H

#include <stdbool.h>

#include "util/error.h"
#include "util/map.h"

#define LC_TREE_MARKER ".loadcast-gen"
#define LC_TREE_WORK   ".loadcast-work" /* sources, objects and stubs while building */
#define LC_TREE_KEPT   "sources"        /* what it becomes when kept */

struct lc_output_tree {
    char *dir;           /* as given; owned */
    char *work;          /* dir/LC_TREE_WORK; owned */
    struct lc_map names; /* what may be made: relative paths, directories end with '/' */
    bool made_dir;       /* the directory itself is ours */
};

int lc_output_tree_open(struct lc_output_tree *tree, const char *dir, struct lc_error *err);
void lc_output_tree_close(struct lc_output_tree *tree);

/* Announce a name before lc_output_tree_begin. */
void lc_output_tree_plan(struct lc_output_tree *tree, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Make the directory, or use it if it is empty; with 'force' first remove what an earlier gen made;
 * with 'beside' it may contain other files whose names are not planned. Then write the marker,
 * the work directory and planned directories. On failure nothing of ours is left. 0, or -1 with
 * err. */
int lc_output_tree_begin(struct lc_output_tree *tree, bool force, bool beside,
                         struct lc_error *err);

/* Remove the work directory, or keep it as LC_TREE_KEPT. 0, or -1 with err filled. */
int lc_output_tree_finish(struct lc_output_tree *tree, bool keep, struct lc_error *err);

/* Remove everything that was planned, and the directory itself if we made it. */
void lc_output_tree_undo(struct lc_output_tree *tree);

/* Write a file whole, with the mode. 0, or -1 with err filled. */
int lc_output_tree_write(const char *path, const char *data, size_t len, unsigned mode,
                         struct lc_error *err);

#endif
