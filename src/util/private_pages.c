/* SPDX-License-Identifier: MIT */
/* private_pages.c - read parts of a file into private memory, at their offsets */
#include "util/private_pages.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/io.h"

/* The pages are read-only until something is read into them, so that they do not count against a
 * limit on committed memory. */
int lc_private_pages_reserve(struct lc_private_pages *pages, size_t len)
{
    void *at = mmap(NULL, len, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    *pages = (struct lc_private_pages){at == MAP_FAILED ? NULL : at, len};
    return pages->at ? 0 : -1;
}

int lc_private_pages_read(struct lc_private_pages *pages, int fd, uint64_t from, uint64_t to)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

    to = to < pages->len ? to : pages->len;
    if (from >= to)
        return 0;
    uint64_t start = from / page * page;
    if (mprotect(pages->at + start, to - start, PROT_READ | PROT_WRITE) < 0)
        return -1;
    ssize_t n = lc_read_at(fd, pages->at + from, to - from, (off_t)from);
    if (n >= 0 && (uint64_t)n < to - from)
        errno = EBADMSG;
    return n == (ssize_t)(to - from) ? 0 : -1;
}

void lc_private_pages_free(struct lc_private_pages *pages)
{
    if (pages->at)
        munmap(pages->at, pages->len);
    *pages = (struct lc_private_pages){0};
}
