/* SPDX-License-Identifier: MIT */
/* content_reader.c - the contents of an image as a stream of bytes: the sending end */
#include "stage/content_stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/io.h"

enum { WINDOW = 1 << 20 };

struct key {
    uint64_t data, size;
    uint32_t in_base, inode;
};

static int by_place(const void *a, const void *b)
{
    const struct key *x = a, *y = b;

    if (x->in_base != y->in_base)
        return x->in_base < y->in_base ? -1 : 1;
    if (x->data != y->data)
        return x->data < y->data ? -1 : 1;
    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    return x->inode < y->inode ? -1 : x->inode > y->inode;
}

static bool key_is_same(const struct key *x, const struct key *y)
{
    return x->in_base == y->in_base && x->data == y->data && x->size == y->size;
}

static void contents_group(struct lc_contents *contents, const struct key *key, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        contents->inode[i] = key[i].inode;
        if (i > 0 && key_is_same(&key[i], &key[i - 1]))
            continue;
        contents->first[contents->count++] = i;
        contents->bytes += key[i].size;
    }
    contents->first[contents->count] = n;
}

int lc_contents_list(struct lc_contents *contents, const struct lc_fill *fill)
{
    const struct lc_look *look = &fill->image->look;
    struct key *key = malloc((look->inodes + 1u) * sizeof(*key));
    uint32_t n = 0;

    *contents = (struct lc_contents){
        .inode = malloc((look->inodes + 1u) * sizeof(uint32_t)),
        .first = malloc((look->inodes + 2u) * sizeof(uint32_t)),
    };
    if (!key || !contents->inode || !contents->first) {
        free(key);
        lc_contents_free(contents);
        return errno = ENOMEM, -1;
    }
    for (uint32_t i = 0; i < look->inodes; i++)
        if (fill->home[i] != LC_NONE)
            key[n++] = (struct key){look->inode[i].data, look->inode[i].size,
                                    look->inode[i].flags & LC_INODE_IN_BASE, i};
    qsort(key, n, sizeof(*key), by_place);
    contents_group(contents, key, n);
    free(key);
    return 0;
}

void lc_contents_free(struct lc_contents *contents)
{
    free(contents->inode);
    free(contents->first);
    *contents = (struct lc_contents){0};
}

/* Read the file from 'from' on into the window, as much as it holds. */
static int window_fill(struct lc_content_reader *reader, int fd, uint64_t from)
{
    if (!reader->window && !(reader->window = malloc(WINDOW)))
        return -1;
    ssize_t n = lc_read_at(fd, reader->window, WINDOW, (off_t)from);
    if (n < 0)
        return -1;
    reader->window_fd = fd;
    reader->window_from = from;
    reader->window_len = (size_t)n;
    return n > 0 ? 0 : (errno = EIO, -1);
}

/* Copy up to 'size' bytes at 'from'. How many, or -1. */
static ssize_t window_read(struct lc_content_reader *reader, int fd, uint64_t from, void *out,
                           size_t size)
{
    if (reader->window_len == 0 || fd != reader->window_fd || from < reader->window_from ||
        from >= reader->window_from + reader->window_len)
        if (window_fill(reader, fd, from) < 0)
            return -1;
    uint64_t skip = from - reader->window_from;
    size_t n = (size_t)(reader->window_len - skip);
    n = n < size ? n : size;
    memcpy(out, reader->window + skip, n);
    return (ssize_t)n;
}

uint64_t lc_content_reader_bytes(const struct lc_content_reader *reader)
{
    const struct lc_contents *c = reader->contents;
    uint64_t sum = 0;

    for (uint32_t i = 0; i < c->count; i++)
        if (lc_contents_is_needed(reader->need, i))
            sum += reader->image->look.inode[c->inode[c->first[i]]].size;
    return sum;
}

ssize_t lc_content_reader_read(struct lc_content_reader *reader, void *out, size_t size)
{
    size_t n = 0;

    while (n < size && reader->at < reader->contents->count) {
        const struct lc_inode *inode =
            &reader->image->look
                 .inode[reader->contents->inode[reader->contents->first[reader->at]]];
        uint64_t left = inode->size - reader->done;
        int fd;
        off_t offset;
        if (left == 0 || !lc_contents_is_needed(reader->need, reader->at)) {
            reader->at++;
            reader->done = 0;
            continue;
        }
        if (!lc_image_content(reader->image, inode, &fd, &offset))
            return errno = ENODATA, -1;
        ssize_t got = window_read(reader, fd, (uint64_t)offset + reader->done, (char *)out + n,
                                  left < size - n ? (size_t)left : size - n);
        if (got < 0)
            return -1;
        n += (size_t)got;
        reader->done += (uint64_t)got;
    }
    return (ssize_t)n;
}

void lc_content_reader_free(struct lc_content_reader *reader)
{
    free(reader->window);
    reader->window = NULL;
}
