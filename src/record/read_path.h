/* SPDX-License-Identifier: MIT */
/* read_path.h - read a path of the file system into a tree, with all directories and symbolic links
 * that a look-up of the path passes through */
#ifndef LC_RECORD_READ_PATH_H
#define LC_RECORD_READ_PATH_H

#include <stdbool.h>

#include "image/tree.h"
#include "record/ahead.h"
#include "trace/mounts.h"

/* The tree to fill, and the mount table. All are borrowed. */
struct lc_path_reader {
    struct lc_tree *tree;
    struct lc_mounts *mounts;
    const struct lc_ahead_paths *ahead; /* what need not be asked any more; NULL: nothing */
};

/* Walk an absolute path as the kernel would and add each directory, each symbolic link and the last
 * component, present or absent, under their paths without links. Entries that are in the tree are
 * not read again. 'out' (LC_PATH_MAX bytes) gets the link-free path of the last component. Returns
 * its entry; NULL with errno if the walk fails (ELOOP, EACCES...) or memory is short. A file is
 * added without its content (LC_SOURCE_NONE); a special file has kind 0. */
struct lc_tree_entry *lc_path_read(struct lc_path_reader *reader, const char *path, char *out);

/* Set the mount of an entry to the one that 'path' is on. 0, or -1 with errno. */
int lc_path_read_mount(struct lc_path_reader *reader, const char *path, struct lc_tree_entry *node);

/* Fill the entry of one link-free path from the file system, present or absent. 0, or -1 with errno
 * for other errors. */
int lc_path_read_stat(struct lc_path_reader *reader, const char *path, struct lc_tree_entry *node);

/* Read the listing of a directory into its entry; 'complete': names that it lacks are absent. 0, or
 * -1 with errno: it cannot be listed, or changed meanwhile (EAGAIN). */
int lc_path_read_list(const char *path, struct lc_tree_entry *node, bool complete);

/* Flag the entry of a file or directory that has no extended attributes. One that has some, or that
 * changed just now, gets no flag. */
void lc_path_read_xattr(const char *path, struct lc_tree_entry *node);

/* Read a symbolic link itself; the path before its last component has no links. The entry, or NULL
 * with errno. */
struct lc_tree_entry *lc_path_read_link(struct lc_path_reader *reader, const char *path);

/* Does the file or directory have an access control list (POSIX)? */
bool lc_path_has_acl(const char *path);

#endif
