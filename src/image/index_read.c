/* SPDX-License-Identifier: MIT */
/* index_read.c - the index of an image file, in memory that belongs to this process alone.
 *
 * Others may cut, rewrite or replace an image at any time, and a mapping of it would change with
 * it. So everything but the content is read into private memory, at the offsets it has in the file,
 * and only then verified and used. Where the content would stand nothing is read: those pages take
 * no memory and read as zeros. If the file changes between two reads, checksums do not match. */
#include "image/index_read.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/io.h"

static int refuse(const char *file, const char *why, struct lc_error *err)
{
    errno = EBADMSG;
    return lc_error_set(err, "'%s' is refused: %s", file, why);
}

/* Zeros as long as the file. Read-only, so that it counts against no limit on committed memory. */
static int reserve(struct lc_index_memory *m, int fd, const char *file, struct lc_error *err)
{
    struct stat st;

    if (fstat(fd, &st) < 0)
        return lc_error_errno(err, "cannot read '%s'", file);
    if (!S_ISREG(st.st_mode) || st.st_size == 0)
        return refuse(file, S_ISREG(st.st_mode) ? "empty" : "not a file", err);
    void *at = mmap(NULL, (size_t)st.st_size, PROT_READ,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return lc_error_errno(err, "cannot read '%s'", file);
    m->at = at;
    m->len = (size_t)st.st_size;
    return 0;
}

/* The file's bytes from 'from' up to 'to', or to its end. */
static int read_range(struct lc_index_memory *m, int fd, uint64_t from, uint64_t to)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

    to = to < m->len ? to : m->len;
    if (from >= to)
        return 0;
    uint64_t start = from / page * page;
    if (mprotect(m->at + start, to - start, PROT_READ | PROT_WRITE) < 0)
        return -1;
    ssize_t n = lc_read_at(fd, m->at + from, to - from, (off_t)from);
    if (n >= 0 && (uint64_t)n < to - from)
        errno = EBADMSG;
    return n == (ssize_t)(to - from) ? 0 : -1;
}

static int read_contents_table(struct lc_index_memory *m, int fd)
{
    const struct lc_header *h = (const void *)m->at;

    if (read_range(m, fd, 0, LC_IMAGE_PAGE) < 0)
        return -1;
    if (m->len < sizeof(*h) || h->root > m->len)
        return 0; /* lc_look_open says what is wrong */
    return read_range(m, fd, h->root,
                      h->root + sizeof(struct lc_root) +
                          LC_SECTIONS_MAX * sizeof(struct lc_section));
}

/* All that stands before and behind the content. */
static int read_sections(struct lc_index_memory *m, int fd, const struct lc_look *look)
{
    const struct lc_header *h = (const void *)m->at;
    bool has_content = look->content && !(h->flags & LC_HEADER_INDEX_ONLY);
    uint64_t start = has_content ? look->content : m->len;
    uint64_t end = has_content ? look->content + look->content_len : m->len;

    return read_range(m, fd, LC_IMAGE_PAGE, start) < 0 || read_range(m, fd, end, m->len) < 0 ? -1
                                                                                             : 0;
}

static int open_memory(const struct lc_index_memory *m, const char *file, struct lc_look *look,
                       struct lc_error *err)
{
    const char *bad = lc_look_open(look, m->at, m->len);

    return bad ? refuse(file, bad, err) : 0;
}

static int fail_read(const char *file, struct lc_error *err)
{
    return errno == EBADMSG ? refuse(file, "it was cut short while it was read", err)
                            : lc_error_errno(err, "cannot read '%s'", file);
}

int lc_index_read(struct lc_index_memory *m, int fd, const char *file, enum lc_index_part part,
                  struct lc_look *look, struct lc_error *err)
{
    *m = (struct lc_index_memory){0};
    if (reserve(m, fd, file, err) < 0)
        return -1;
    if (read_contents_table(m, fd) < 0)
        return fail_read(file, err);
    if (open_memory(m, file, look, err) < 0)
        return -1;
    if (part == LC_INDEX_TABLE)
        return 0;
    if (read_sections(m, fd, look) < 0)
        return fail_read(file, err);
    return open_memory(m, file, look, err);
}

void lc_index_forget(struct lc_index_memory *m)
{
    if (m->at)
        munmap(m->at, m->len);
    *m = (struct lc_index_memory){0};
}
