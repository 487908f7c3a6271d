/* SPDX-License-Identifier: MIT */
/* tree.h - what fts, ftw and nftw share. They call the same functions as a program would, so that
 * the image answers where it can and the file system answers the rest */
#ifndef LC_PRELOAD_TREE_H
#define LC_PRELOAD_TREE_H

#include <asm/stat.h>
#include <stdbool.h>
#include <stddef.h>

#include "client/preload/path_query.h"
#include "client/preload/dirent.h"

extern void *lc_tree_opendir(const char *) __asm__("opendir");
extern struct dirent *lc_tree_readdir(void *) __asm__("readdir64");
extern int lc_tree_closedir(void *) __asm__("closedir");
extern int lc_tree_stat(const char *, struct stat *) __asm__("stat64");
extern int lc_tree_lstat(const char *, struct stat *) __asm__("lstat64");

enum { LC_MODE_KIND = 0170000, LC_MODE_DIRECTORY = 0040000, LC_MODE_LINK = 0120000 };

static inline bool lc_tree_is(const struct stat *st, unsigned kind)
{
    return (st->st_mode & LC_MODE_KIND) == kind;
}

static inline bool lc_tree_is_dot(const char *name)
{
    return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

/* The names of a directory, one after another: a type byte, the name, a NUL. */
struct lc_dir_names {
    char *text; /* owned; freed by lc_dir_names_free */
    size_t used, room;
};

/* Read the remaining entries of an open directory and close it. False: no memory; errno is set and
 * nothing needs to be freed. */
bool lc_dir_names_read(struct lc_dir_names *names, void *dir);
void lc_dir_names_free(struct lc_dir_names *names); /* keeps errno */

/* The name at position *at (0: the first), which moves to the next one; NULL at the end. */
static inline const char *lc_dir_names_next(const struct lc_dir_names *names, size_t *at, int *type)
{
    if (*at >= names->used)
        return NULL;
    const char *name = names->text + *at + 1;
    *type = (unsigned char)name[-1];
    while (names->text[++*at])
        ;
    ++*at;
    return name;
}

/* list.c: is this open directory a listing from the image? */
bool lc_list_is_ours(void *dir);

/* Does the image know what this path leads to? Then the walk from there is made by us. */
bool lc_tree_is_known(const char *path, bool follow);

#endif
