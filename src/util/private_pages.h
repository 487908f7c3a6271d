/* SPDX-License-Identifier: MIT */
/* private_pages.h - parts of a file at their offsets, in memory that belongs to this process alone
 *
 * For files that others may cut or rewrite at any time: a mapping of such a file changes with it,
 * and reading it where it was cut ends the process. */
#ifndef LC_UTIL_PRIVATE_PAGES_H
#define LC_UTIL_PRIVATE_PAGES_H

#include <stddef.h>
#include <stdint.h>

struct lc_private_pages {
    unsigned char *at; /* NULL: none */
    size_t len;
};

/* 'len' zeros that take no memory. 0, or -1 with errno. */
int lc_private_pages_reserve(struct lc_private_pages *pages, size_t len);

/* Read the file's bytes from 'from' up to 'to', or up to the end of the pages, into their place. 0,
 * or -1 with errno: EBADMSG if the file is shorter. */
int lc_private_pages_read(struct lc_private_pages *pages, int fd, uint64_t from, uint64_t to);

void lc_private_pages_free(struct lc_private_pages *pages);

#endif
