/* SPDX-License-Identifier: MIT */
/* tree.h - the tree of paths to be written to an image, in memory: filled by record and check,
 * written by write.h */
#ifndef LC_IMAGE_TREE_H
#define LC_IMAGE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "image/format.h"
#include "util/buf.h"
#include "util/error.h"
#include "util/map.h"

struct lc_image;

enum lc_source {
    LC_SOURCE_NONE,  /* stat is known, the content is not */
    LC_SOURCE_FILE,  /* read from the file system when the image is written */
    LC_SOURCE_BYTES, /* in memory: a compiled .pyc */
    LC_SOURCE_IMAGE, /* already in an image */
};

/* One name of a directory listing. */
struct lc_listed_name {
    char *name;
    uint64_t ino;
    uint8_t type;
};

struct lc_tree_entry {
    uint8_t kind;         /* enum lc_kind; 0: dropped, will not be written */
    uint8_t flags;        /* enum lc_entry_flag */
    uint16_t learnt;      /* enum lc_learnt_mark; stays when the entry is set anew */
    int error;            /* absent: errno */
    uint64_t dev;         /* entries with equal dev and stat.ino are one inode; not written */
    struct lc_inode stat; /* data, count and hash are filled by the writer */
    char *target;
    struct lc_listed_name *list;
    size_t list_count;
    enum lc_source source;
    void *bytes; /* stat.size bytes */
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

/* Read the fields, but change them only through the functions. 'entries' maps a path to its struct
 * lc_tree_entry. */
struct lc_tree {
    struct lc_map entries;
    struct lc_tree_mount *mount;
    size_t mounts;
    struct lc_tree_key *key;
    size_t keys;
    struct lc_tree_search *search;
    size_t searches;
    struct lc_buf bindings;     /* a bindings section, or empty */
    struct lc_map search_index; /* "key chain loader\nname" */
};

/* A change less than this many seconds before the file was read may not show in its timestamps. */
enum { LC_TREE_FRESH_SECONDS = 2 };

void lc_tree_free(struct lc_tree *tree);

/* The entry of a path, added with kind 0 if it is new; NULL with errno ENOMEM. Owned by the tree.
 */
struct lc_tree_entry *lc_tree_entry_make(struct lc_tree *tree, const char *path);
struct lc_tree_entry *lc_tree_find(
    const struct lc_tree *tree,
    const char *path); /* NULL if there is none; the entry may have kind 0 */

/* Set what an entry is; everything it held before is dropped. 0, or -1 with ENOMEM. */
void lc_tree_entry_set_stat(struct lc_tree_entry *node, const struct stat *st);
void lc_tree_entry_set_absent(struct lc_tree_entry *node, int error);
int lc_tree_entry_set_link(struct lc_tree_entry *node, const char *target);
int lc_tree_entry_set_bytes(struct lc_tree_entry *node, const void *bytes, size_t len);
/* Equal for names of one inode, and for nothing else: the inode number may have been given to
 * another file while the tree was read, so times are in the key. */
enum { LC_TREE_ENTRY_KEY = 120 };
void lc_tree_entry_key(const struct lc_tree_entry *entry, char out[LC_TREE_ENTRY_KEY]);
bool lc_tree_entry_is_fresh(
    const struct lc_tree_entry *node); /* it changed just before it was read: see LC_INODE_FRESH */
void lc_tree_entry_clear(struct lc_tree_entry *node); /* back to kind 0, memory freed */

/* Replace a directory's listing (takes over 'list' and its names). */
void lc_tree_entry_set_list(struct lc_tree_entry *node, struct lc_listed_name *list, size_t count,
                            bool complete);
void lc_tree_entry_drop_list(struct lc_tree_entry *node);
void lc_listed_names_free(struct lc_listed_name *list, size_t count);

/* Index of a mount, added if new; LC_NONE with ENOMEM. */
uint32_t lc_tree_mount(struct lc_tree *tree, const char *point, const char *type,
                       const char *source);
/* Index of a search key, added if new (strings are copied); LC_NONE with ENOMEM. */
uint32_t lc_tree_key(struct lc_tree *tree, const struct lc_tree_key *key);
/* Add a search result. If the same search was added before with another result, it has no single
 * answer and is dropped (its result becomes NULL). 0, or -1 with ENOMEM. */
int lc_tree_search(struct lc_tree *tree, uint32_t key, uint64_t chain, const char *loader,
                   const char *name, const char *result);

/* Add everything in an image, which must stay open until the tree is written. 0, or -1 with err. */
int lc_tree_load(struct lc_tree *tree, const struct lc_image *image, struct lc_error *err);

#endif
