/* SPDX-License-Identifier: MIT */
/* readable.h - may a pointer that the program passed be followed?
 *
 * Where the kernel returns EFAULT, our access would be a SIGSEGV. Each page is checked once, by
 * a system call that touches no file, and the result is cached: a page that the program unmaps
 * later is not noticed.
 */
#ifndef LC_PRELOAD_READABLE_H
#define LC_PRELOAD_READABLE_H

#include <stdbool.h>
#include <stddef.h>

bool lc_is_text(const char *text); /* not NULL, and readable up to its NUL */
bool lc_is_list(
    char *const list[]); /* a readable list of texts that ends with NULL; or NULL itself */
bool lc_is_pointers(
    char *const list[]); /* a readable list that ends with NULL; the texts are not checked */
bool lc_is_place(const void *at, size_t size); /* may be written to */

/* Are system calls of ours allowed here? Else every pointer counts as good. Defined by each object
 * that has this file: preload/attach.c, pilot/filter.c. */
bool lc_readable_may_ask(void);

#endif
