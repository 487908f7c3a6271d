/* SPDX-License-Identifier: MIT */
/* index_read.c - read the index of an image file into private memory
 *
 * Other processes may truncate, rewrite or replace an image at any time, and a mapping of it would
 * change with it. So everything but the content is read into private memory, at the offsets it has
 * in the file, and only then verified and used. The content's range is not read: those pages take
 * no memory and read as zeros. If the file changes between two reads, the checksums do not match.
 */
#include "image/index_read.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

static int image_refuse(const char *file, const char *why, struct lc_error *err)
{
    errno = EBADMSG;
    return lc_error_set(err, "'%s' is refused: %s", file, why);
}

static int pages_reserve(struct lc_private_pages *pages, int fd, const char *file,
                         struct lc_error *err)
{
    struct statx st;

    /* No time of access is asked for: a network file system need not be asked for the rest. */
    if (statx(fd, "", AT_EMPTY_PATH, STATX_TYPE | STATX_SIZE, &st) < 0)
        return lc_error_errno(err, "cannot read '%s'", file);
    if (!S_ISREG(st.stx_mode) || st.stx_size == 0)
        return image_refuse(file, S_ISREG(st.stx_mode) ? "empty" : "not a file", err);
    return lc_private_pages_reserve(pages, (size_t)st.stx_size) < 0
               ? lc_error_errno(err, "cannot read '%s'", file)
               : 0;
}

static int read_contents_table(struct lc_private_pages *m, int fd)
{
    const struct lc_header *h = (const void *)m->at;

    if (lc_private_pages_read(m, fd, 0, LC_IMAGE_PAGE) < 0)
        return -1;
    if (m->len < sizeof(*h) || h->root > m->len)
        return 0; /* lc_look_open reports what is wrong */
    return lc_private_pages_read(m, fd, h->root,
                                 h->root + sizeof(struct lc_root) +
                                     LC_SECTIONS_MAX * sizeof(struct lc_section));
}

/* Read all sections before and behind the content. */
static int read_sections(struct lc_private_pages *m, int fd, const struct lc_look *look)
{
    const struct lc_header *h = (const void *)m->at;
    bool has_content = look->content && !(h->flags & LC_HEADER_INDEX_ONLY);
    uint64_t start = has_content ? look->content : m->len;
    uint64_t end = has_content ? look->content + look->content_len : m->len;

    return lc_private_pages_read(m, fd, LC_IMAGE_PAGE, start) < 0 ||
                   lc_private_pages_read(m, fd, end, m->len) < 0
               ? -1
               : 0;
}

static int look_open(const struct lc_private_pages *m, const char *file, struct lc_look *look,
                     struct lc_error *err)
{
    const char *bad = lc_look_open(look, m->at, m->len);

    return bad ? image_refuse(file, bad, err) : 0;
}

static int fail_read(const char *file, struct lc_error *err)
{
    return errno == EBADMSG ? image_refuse(file, "it was cut short while it was read", err)
                            : lc_error_errno(err, "cannot read '%s'", file);
}

int lc_index_read(struct lc_private_pages *m, int fd, const char *file, enum lc_index_part part,
                  struct lc_look *look, struct lc_error *err)
{
    *m = (struct lc_private_pages){0};
    if (pages_reserve(m, fd, file, err) < 0)
        return -1;
    if (read_contents_table(m, fd) < 0)
        return fail_read(file, err);
    if (look_open(m, file, look, err) < 0)
        return -1;
    if (part == LC_INDEX_TABLE)
        return 0;
    if (read_sections(m, fd, look) < 0)
        return fail_read(file, err);
    return look_open(m, file, look, err);
}
