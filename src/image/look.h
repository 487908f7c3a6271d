/* SPDX-License-Identifier: MIT */
/* look.h - ask an image that is mapped somewhere. Freestanding: no libc, no allocation, no lock, no
 * TLS; safe in signal handlers, in vfork children and before libc is there.
 *
 * Nothing in the mapping is trusted: lc_look_open checks header, table of contents and the bounds
 * of every section; each look-up checks the offsets it follows, so that a damaged index yields
 * "unknown" and never a stray access. lc_image_verify (image.h) is the complete check. */
#ifndef LC_IMAGE_LOOK_H
#define LC_IMAGE_LOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/format.h"

/* A view of a mapping; pointers into it, valid as long as the mapping. */
struct lc_look {
    const unsigned char *base;
    uint64_t size;
    const struct lc_root *root;
    const struct lc_entry *entry;
    const struct lc_slot *slot;
    const struct lc_inode *inode;
    const struct lc_dirent *dirent;
    const uint32_t *order; /* per directory: its entries sorted by name */
    const char *names;     /* ends with a NUL */
    const struct lc_mount *mount;
    const struct lc_search *search;
    const uint32_t *search_slot;
    const struct lc_search_key *search_key;
    const struct lc_base *overlay_base; /* NULL unless this is an overlay */
    uint64_t content;                   /* offset in the file */
    uint64_t content_len;
    uint32_t entries, slots, inodes, dirents, mounts, searches, search_slots, search_keys;
    uint32_t names_len;
};

/* NULL, or why the bytes are no image this program can use (a static text). */
const char *lc_look_open(struct lc_look *look, const void *base, uint64_t size);

/* The checksum of a table of contents: XXH64 of two XXH64s, of the fields before the checksum and
 * of the sections. */
uint64_t lc_root_checksum(const struct lc_root *root);

/* The section of a type, or NULL. */
const struct lc_section *lc_look_section(const struct lc_look *look, uint32_t type);

/* The image's identity: equal for equal bytes. */
uint64_t lc_look_id(const struct lc_look *look);

/* The entry of exactly this path, or LC_NONE; its slot, or NULL. */
uint32_t lc_look_find(const struct lc_look *look, const char *path, size_t len);
const struct lc_slot *lc_look_slot(const struct lc_look *look, const char *path, size_t len);

enum lc_answer {
    LC_ANSWER_UNKNOWN, /* the image cannot tell: ask the file system */
    LC_ANSWER_FOUND,   /* 'entry' is a file, directory or symbolic link */
    LC_ANSWER_ABSENT,  /* the file system would say 'error' */
};

struct lc_found {
    enum lc_answer answer;
    uint32_t entry;
    int error;
};

/* What is known of a path that is absolute, clean and has no link in its directory part. Entries
 * that are only a step on the way (LC_ENTRY_ROUTE) are found here; lc_look_walk passes them on. */
struct lc_found lc_look_clean(const struct lc_look *look, const char *path, size_t len);

/* The same for a clean path that is no entry: the nearest directory above it that is one decides.
 * Not final if that is a link: the path must be walked. */
struct lc_found lc_look_missing(const struct lc_look *look, const char *path, size_t len,
                                bool *is_final);

enum lc_walk_flag {
    LC_WALK_NOFOLLOW = 1, /* a link in last place is the answer itself */
    LC_WALK_MADE = 2,     /* also files that we made and that the source lacks; else absent */
};

/* Room for a walk, on the caller's stack. The path without links is the found entry's own. */
struct lc_walk {
    char path[LC_PATH_MAX];
    size_t len;
    char rest[2 * LC_PATH_MAX];
    /* Filled with 'len' when an answer is unknown: where it is to be asked, without the links that
     * are known, is 'path' and what stands in 'rest' from 'at' on. */
    size_t at;
    int links; /* followed on the way, those that are only steps not counted; 0: cannot be told */
};

/* What is known of any absolute path: "..", "//", "." and links as the kernel treats them. */
struct lc_found lc_look_walk(const struct lc_look *look, const char *path, size_t len, int flags,
                             struct lc_walk *walk);

/* A directory's names: 0 <= i < lc_look_dir_count; -1 and NULL when out of bounds. */
const struct lc_inode *lc_look_inode(const struct lc_look *look, uint32_t entry);
const struct lc_dirent *lc_look_dirents(const struct lc_look *look, const struct lc_inode *dir,
                                        uint32_t *count);
bool lc_look_is_listed(const struct lc_look *look, const struct lc_inode *dir, const char *name,
                       size_t len);

/* A string in the names; "" when the offset is out of bounds. */
const char *lc_look_name(const struct lc_look *look, uint32_t offset);

/* What ld.so found for 'name' asked by 'loader' where 'key' and 'chain' hold; LC_NONE if unknown.
 */
uint32_t lc_look_search(const struct lc_look *look, uint32_t key, uint64_t chain,
                        const char *loader, const char *name);
uint64_t lc_look_search_hash(const char *loader, size_t loader_len, const char *name, size_t len);

#endif
