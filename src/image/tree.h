/* SPDX-License-Identifier: MIT */
/* tree.h - what shall be in an image, in memory: filled by record and check, written by write.h */
#ifndef LC_IMAGE_TREE_H
#define LC_IMAGE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "image/format.h"
#include "util/error.h"
#include "util/buf.h"
#include "util/map.h"

struct lc_image;

enum lc_source {
    LC_SOURCE_NONE,  /* stat is known, the content is not */
    LC_SOURCE_FILE,  /* read from the file system when the image is written */
    LC_SOURCE_BYTES, /* in memory: a compiled .pyc */
    LC_SOURCE_IMAGE, /* already in an image */
};

/* One name of a listing. */
struct lc_name {
    char *name;
    uint64_t ino;
    uint8_t type;
};

struct lc_node {
    uint8_t kind;         /* enum lc_kind; 0: dropped, will not be written */
    uint8_t flags;        /* enum lc_entry_flag */
    int error;            /* absent: errno */
    uint64_t dev;         /* with stat.ino: which nodes are one inode; never written */
    struct lc_inode stat; /* data, count and hash are filled by the writer */
    char *target;
    struct lc_name *list;
    size_t list_count;
    enum lc_source source;
    void *bytes; /* stat.size of them */
    const struct lc_image *image;
    const struct lc_inode *from; /* in 'image' */
};

struct lc_tree_mount {
    char *point, *type, *source;
};

struct lc_tree_key {
    uint64_t hwcap, hwcap2, cache;
    uint32_t cpu_level;
    char *executable, *library_path, *tunables, *platform;
};

struct lc_tree_search {
    uint32_t key;
    uint64_t chain;
    char *loader, *name, *result;
};

/* Fields are for reading; add through the functions. Nodes are values of 'nodes', by path. */
struct lc_tree {
    struct lc_map nodes;
    struct lc_tree_mount *mount;
    size_t mounts;
    struct lc_tree_key *key;
    size_t keys;
    struct lc_tree_search *search;
    size_t searches;
    struct lc_buf bindings;     /* a bindings section, or empty */
    struct lc_map search_index; /* "key chain loader\nname" */
};

/* A change this close to the reading may not show in a file system's times (seconds). */
enum { LC_TREE_FRESH_SECONDS = 2 };

void lc_tree_free(struct lc_tree *tree);

/* The node of a path, made with kind 0 if new; NULL with errno ENOMEM. Owned by the tree. */
struct lc_node *lc_tree_node(struct lc_tree *tree, const char *path);
struct lc_node *lc_tree_find(const struct lc_tree *tree,
                             const char *path); /* kind 0 too; or NULL */

/* Make a node what the arguments say; what it was before is forgotten. 0, or -1 with ENOMEM. */
void lc_node_set_stat(struct lc_node *node, const struct stat *st);
void lc_node_set_absent(struct lc_node *node, int error);
int lc_node_set_link(struct lc_node *node, const char *target);
int lc_node_set_bytes(struct lc_node *node, const void *bytes, size_t len);
/* Equal for names of one inode, and for nothing else: its number may have been given to another
 * file while the tree was looked at, so times are in it. */
enum { LC_NODE_KEY = 120 };
void lc_node_key(const struct lc_node *node, char out[LC_NODE_KEY]);
bool lc_node_is_fresh(const struct lc_node *node); /* changed just now: see LC_INODE_FRESH */
void lc_node_clear(struct lc_node *node);          /* kind 0, nothing owned */

/* Replace a directory's listing (takes over 'list' and its names). */
void lc_node_set_list(struct lc_node *node, struct lc_name *list, size_t count, bool complete);
void lc_node_drop_list(struct lc_node *node);
void lc_names_free(struct lc_name *list, size_t count);

/* Index of a mount, added if new; LC_NONE with ENOMEM. */
uint32_t lc_tree_mount(struct lc_tree *tree, const char *point, const char *type,
                       const char *source);
/* Index of a search key, added if new (strings are copied); LC_NONE with ENOMEM. */
uint32_t lc_tree_key(struct lc_tree *tree, const struct lc_tree_key *key);
/* Add a search result; of two for the same question the first stays, unless they differ: then the
 * question has no single answer and is dropped (result NULL). 0, or -1 with ENOMEM. */
int lc_tree_search(struct lc_tree *tree, uint32_t key, uint64_t chain, const char *loader,
                   const char *name, const char *result);

/* Add everything in an image, which must stay open until the tree is written. 0, or -1 with err. */
int lc_tree_load(struct lc_tree *tree, const struct lc_image *image, struct lc_error *err);

#endif
