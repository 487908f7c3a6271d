/* SPDX-License-Identifier: MIT */
/* look.h - look up paths and library searches in a mapped image. Freestanding: no libc, no
 * allocation, no lock, no TLS; safe in signal handlers, in vfork children and before libc is
 * loaded.
 *
 * The mapping is not trusted: lc_look_open checks the header, the table of contents and the bounds
 * of every section; each look-up checks the offsets it follows. So a damaged index leads to
 * "unknown" and never to an access outside the mapping. lc_image_verify (image.h) is the complete
 * check. */
#ifndef LC_IMAGE_LOOK_H
#define LC_IMAGE_LOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/format.h"

/* Pointers into a mapped index; valid as long as the mapping. */
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

/* Open a mapped index. Returns NULL, or the reason why it cannot be used (a static text). */
const char *lc_look_open(struct lc_look *look, const void *base, uint64_t size);

/* The checksum of a table of contents: XXH64 over two XXH64 values, one of the fields before the
 * checksum and one of the sections. */
uint64_t lc_root_checksum(const struct lc_root *root);

/* The section of a type, or NULL. */
const struct lc_section *lc_look_section(const struct lc_look *look, uint32_t type);

/* The image's identity: equal for equal bytes. */
uint64_t lc_look_id(const struct lc_look *look);

/* The entry with exactly this path, or LC_NONE; and its slot, or NULL. */
uint32_t lc_look_find(const struct lc_look *look, const char *path, size_t len);
const struct lc_slot *lc_look_slot(const struct lc_look *look, const char *path, size_t len);

enum lc_answer {
    LC_ANSWER_UNKNOWN, /* the image cannot tell: ask the file system */
    LC_ANSWER_FOUND,   /* 'entry' is a file, directory or symbolic link */
    LC_ANSWER_ABSENT,  /* the file system would fail with errno 'error' */
};

struct lc_found {
    enum lc_answer answer;
    uint32_t entry;
    int error;
};

/* Look up a path that is absolute, clean and has no symbolic link in its directory part. Entries
 * that are only a step on the way (LC_ENTRY_ROUTE) are found here, while lc_look_walk answers
 * "unknown" for them. */
struct lc_found lc_look_clean(const struct lc_look *look, const char *path, size_t len);

/* Look up a clean path that has no entry: the nearest directory above it that has one decides.
 * *is_final is false if that is a symbolic link; the path must then be walked. */
struct lc_found lc_look_missing(const struct lc_look *look, const char *path, size_t len,
                                bool *is_final);

enum lc_walk_flag {
    LC_WALK_NOFOLLOW = 1, /* do not follow a symbolic link in the last component */
    LC_WALK_MADE =
        2, /* also find files that only the image has (compiled .pyc); otherwise they are absent */
};

/* Buffers of a walk, on the caller's stack. If the answer is "found", the path without links is the
 * path of that entry. */
struct lc_walk {
    char path[LC_PATH_MAX];
    size_t len;
    char rest[2 * LC_PATH_MAX];
    /* Set together with 'len' if the answer is "unknown". The path to ask the file system for, with
     * the known links resolved, is then 'path' followed by 'rest' from 'at' on. */
    size_t at;
    int links; /* links followed, without those that are only steps on the way; 0: not known */
};

/* Look up any absolute path; "..", "//", "." and symbolic links are treated as the kernel does. */
struct lc_found lc_look_walk(const struct lc_look *look, const char *path, size_t len, int flags,
                             struct lc_walk *walk);

/* An entry's inode, a directory's *count dirents, and whether a name is among them. NULL if an
 * index is out of bounds. */
const struct lc_inode *lc_look_inode(const struct lc_look *look, uint32_t entry);
const struct lc_dirent *lc_look_dirents(const struct lc_look *look, const struct lc_inode *dir,
                                        uint32_t *count);
bool lc_look_is_listed(const struct lc_look *look, const struct lc_inode *dir, const char *name,
                       size_t len);

/* A string of the names section; "" if the offset is out of bounds. */
const char *lc_look_name(const struct lc_look *look, uint32_t offset);

/* The entry that ld.so found when the object 'loader' searched for the library 'name', under search
 * key 'key' and DT_RPATH chain 'chain'; LC_NONE if that is not recorded. */
uint32_t lc_look_search(const struct lc_look *look, uint32_t key, uint64_t chain,
                        const char *loader, const char *name);
uint64_t lc_look_search_hash(const char *loader, size_t loader_len, const char *name, size_t len);

#endif
