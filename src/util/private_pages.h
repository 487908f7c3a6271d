/* SPDX-License-Identifier: MIT */
/* private_pages.h - read parts of a file into private memory, at their offsets
 *
 * For files that others may truncate or rewrite at any time: a mapping of such a file would change
 * with it, and an access behind its new end would end the process. */
#ifndef LC_UTIL_PRIVATE_PAGES_H
#define LC_UTIL_PRIVATE_PAGES_H

#include <stddef.h>
#include <stdint.h>

struct lc_private_pages {
    unsigned char *at; /* NULL: none */
    size_t len;
};

/* Reserve 'len' zeroed bytes of address space; they take no memory yet. 0, or -1 with errno. */
int lc_private_pages_reserve(struct lc_private_pages *pages, size_t len);

/* Read the file's bytes from offset 'from' up to 'to', or up to the end of the pages, to the same
 * offsets of the pages. 0, or -1 with errno: EBADMSG if the file is shorter. */
int lc_private_pages_read(struct lc_private_pages *pages, int fd, uint64_t from, uint64_t to);

void lc_private_pages_free(struct lc_private_pages *pages);

#endif
