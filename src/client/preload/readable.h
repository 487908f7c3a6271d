/* SPDX-License-Identifier: MIT */
/* readable.h - may a pointer of the program's be followed?
 *
 * The kernel says EFAULT where we would die of SIGSEGV. A page is asked for once, by a system call
 * that touches no file, and remembered: one that a program takes away later, and then names, is not
 * noticed. */
#ifndef LC_PRELOAD_READABLE_H
#define LC_PRELOAD_READABLE_H

#include <stdbool.h>
#include <stddef.h>

bool lc_is_text(const char *text);             /* as far as its NUL; not NULL */
bool lc_is_list(char *const list[]);           /* of texts, as far as its NULL; or NULL itself */
bool lc_is_pointers(char *const list[]);       /* the same, whatever they lead to */
bool lc_is_place(const void *at, size_t size); /* may be written to */

#endif
