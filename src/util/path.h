/* SPDX-License-Identifier: MIT */
/* path.h - paths as text; only lc_path_find_program reads the file system */
#ifndef LC_UTIL_PATH_H
#define LC_UTIL_PATH_H

#include <stdbool.h>
#include <stddef.h>

#include "util/error.h"

/* Make 'path' absolute against 'base' (itself absolute) and drop "//", "/." and trailing "/". ".."
 * is resolved by text only, which is wrong behind a symbolic link. Writes at most size bytes with
 * the NUL; 0, or -1 with errno ENAMETOOLONG. */
int lc_path_absolute(char *out, size_t size, const char *base, const char *path);

/* As lc_path_absolute, for a 'base' without symbolic links (as in /proc): ".." is resolved only
 * where no link can stand before it, and kept elsewhere. */
int lc_path_resolve(char *out, size_t size, const char *base, const char *path);

/* Is 'path' equal to 'dir' or below it? Both absolute and clean. */
bool lc_path_is_under(const char *path, const char *dir);

/* Length of the directory part: 1 for "/x", 0 for "x". */
size_t lc_path_dir_len(const char *path);

/* The part behind the last slash. */
const char *lc_path_base(const char *path);

/* Find what execvp would run. 'out' gets the path. Returns 0, or -1 with errno ENOENT (not found
 * anywhere) or EACCES (found, but not executable) and err filled. */
int lc_path_find_program(char *out, size_t size, const char *name, struct lc_error *err);

/* The entry after this one in a colon-separated list, or NULL. An entry is strcspn(p, ":") long. */
const char *lc_path_list_next(const char *entry);

/* Replace the \NNN (octal) by which /proc writes blank, tab, newline and backslash. In place. */
void lc_path_undo_octal(char *path);

/* Does 'text' match a shell pattern in which "*" also crosses "/"? */
bool lc_path_matches(const char *pattern, const char *text);

#endif
