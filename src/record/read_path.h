/* SPDX-License-Identifier: MIT */
/* read_path.h - a path of the file system into a tree, with everything a look-up of it meets */
#ifndef LC_RECORD_READ_PATH_H
#define LC_RECORD_READ_PATH_H

#include <stdbool.h>

#include "image/tree.h"
#include "trace/mounts.h"

/* Where what is read goes, and how mounts are told apart. Both are borrowed. */
struct lc_path_reader {
    struct lc_tree *tree;
    struct lc_mounts *mounts;
};

/* Walk an absolute path as the kernel would and add each directory, link and the last component,
 * present or absent, under paths without links. What is in the tree already is not asked again.
 * 'out' (LC_PATH_MAX bytes) gets the path of the last one.
 * The node; NULL with errno when the walk leads nowhere (ELOOP, EACCES...) or memory is short.
 * A file is added without its content (LC_SOURCE_NONE); a special file has kind 0. */
struct lc_tree_entry *lc_path_read(struct lc_path_reader *reader, const char *path, char *out);

/* Set the mount of a node for what stands at 'path'. 0, or -1 with errno. */
int lc_path_read_mount(struct lc_path_reader *reader, const char *path, struct lc_tree_entry *node);

/* Ask the file system about one path without links and set the node accordingly; 0, or -1 with
 * errno for anything that is neither there nor absent. */
int lc_path_read_stat(struct lc_path_reader *reader, const char *path, struct lc_tree_entry *node);

/* Read a directory into its node. 0, or -1 with errno: it cannot be listed, or changed meanwhile
 * (EAGAIN). */
int lc_path_read_list(const char *path, struct lc_tree_entry *node, bool complete);

/* Note in the node whether the file or directory at a path without links has no extended
 * attributes; nothing is noted of one that has some, or changed just now. */
void lc_path_read_xattr(const char *path, struct lc_tree_entry *node);

/* A link itself, by a path without links before it. The node, or NULL with errno. */
struct lc_tree_entry *lc_path_read_link(struct lc_path_reader *reader, const char *path);

/* Does the file or directory have an access control list (POSIX)? */
bool lc_path_has_acl(const char *path);

#endif
