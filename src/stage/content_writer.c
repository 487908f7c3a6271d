/* SPDX-License-Identifier: MIT */
/* content_writer.c - the contents of an image as a stream of bytes: the receiving end */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include <xxhash.h>

#include "stage/content_stream.h"
#include "util/io.h"

static const struct lc_inode *current_inode(const struct lc_content_writer *u)
{
    return &u->fill->image->look.inode[u->contents->inode[u->contents->first[u->at]]];
}

/* Copy all inodes of a content from fill->sources. False if one fails: then none is left. */
static bool content_copy_from_source(struct lc_content_writer *u, uint32_t content)
{
    const struct lc_contents *c = u->contents;

    for (uint32_t i = c->first[content]; i < c->first[content + 1]; i++)
        if (lc_fill_from_delta_source(u->fill, u->root, c->inode[i], u->buffer) < 0) {
            while (i-- > c->first[content])
                unlinkat(u->root, lc_fill_path(u->fill, c->inode[i]) + 1, 0);
            return false;
        }
    return true;
}

int lc_content_writer_begin(struct lc_content_writer *u, struct lc_fill *fill, int root,
                            const struct lc_contents *contents, uint8_t *need)
{
    *u = (struct lc_content_writer){
        .fill = fill, .root = root, .contents = contents, .need = need, .fd = -1};
    u->hash = XXH3_createState();
    u->buffer = malloc(LC_FILL_CHUNK);
    if (!u->hash || !u->buffer)
        return errno = ENOMEM, -1;
    for (uint32_t i = 0; i < contents->count; i++)
        if (!fill->sources || !content_copy_from_source(u, i))
            need[i / 8] |= (uint8_t)(1u << (i % 8));
    return 0;
}

/* Copy a content to its other inodes: two libraries with equal content must stay two files. */
static int content_copy_to_others(struct lc_content_writer *u)
{
    const struct lc_contents *c = u->contents;
    const char *first = lc_fill_path(u->fill, c->inode[c->first[u->at]]);

    for (uint32_t i = c->first[u->at] + 1; i < c->first[u->at + 1]; i++) {
        int from = openat(u->root, first + 1, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
        int fd = from < 0 ? -1 : lc_fill_create(u->fill, u->root, c->inode[i]);
        ssize_t n = 0;
        while (fd >= 0 && (n = read(from, u->buffer, LC_FILL_CHUNK)) > 0)
            if (lc_write_all(fd, u->buffer, (size_t)n) < 0)
                break;
        int saved = errno;
        if (from >= 0)
            close(from);
        errno = saved;
        if (fd < 0)
            return -1;
        if (n != 0) {
            close(fd);
            return errno = saved, -1;
        }
        if (lc_fill_seal(u->fill, fd, c->inode[i]) < 0)
            return -1;
    }
    return 0;
}

static int file_begin(struct lc_content_writer *u)
{
    XXH3_128bits_reset(u->hash);
    u->fd = lc_fill_create(u->fill, u->root, u->contents->inode[u->contents->first[u->at]]);
    return u->fd < 0 ? -1 : 0;
}

static int file_end(struct lc_content_writer *u)
{
    const struct lc_inode *inode = current_inode(u);
    XXH128_hash_t is = XXH3_128bits_digest(u->hash);
    int fd = u->fd;

    u->fd = -1;
    if (is.low64 != inode->hash[0] || is.high64 != inode->hash[1]) {
        close(fd);
        return errno = EBADMSG, -1;
    }
    if (lc_fill_seal(u->fill, fd, u->contents->inode[u->contents->first[u->at]]) < 0)
        return -1;
    return content_copy_to_others(u);
}

/* Go on to the next content with bytes to come. Empty files on the way are made. */
static int content_advance(struct lc_content_writer *u, const uint8_t *sent)
{
    for (; u->at < u->contents->count; u->at++, u->done = 0) {
        bool mine = lc_contents_is_needed(u->need, u->at);
        if (u->done < current_inode(u)->size && lc_contents_is_needed(sent, u->at)) {
            return mine && u->fd < 0 ? file_begin(u) : 0;
        }
        if (!mine)
            continue;
        if (u->done < current_inode(u)->size) /* needed, but not in the stream */
            return errno = EIO, -1;
        if ((u->fd < 0 && file_begin(u) < 0) || file_end(u) < 0)
            return -1;
    }
    return 0;
}

int lc_content_writer_add(struct lc_content_writer *u, const uint8_t *sent, const char *data,
                          size_t len)
{
    while (len > 0) {
        if (content_advance(u, sent) < 0)
            return -1;
        if (u->at == u->contents->count)
            return errno = EIO, -1; /* more bytes than the bits announce */
        uint64_t left = current_inode(u)->size - u->done;
        size_t n = left < len ? (size_t)left : len;
        if (u->fd >= 0) {
            XXH3_128bits_update(u->hash, data, n);
            if (lc_write_all(u->fd, data, n) < 0)
                return -1;
        }
        u->done += n;
        data += n;
        len -= n;
    }
    if (u->fill->lock)
        lc_stage_lock_beat(u->fill->lock);
    return 0;
}

int lc_content_writer_end(struct lc_content_writer *u, const uint8_t *sent)
{
    int rc = u->buffer && sent ? content_advance(u, sent) : -1;

    if (rc == 0 && u->at < u->contents->count)
        rc = (errno = EIO, -1);
    int saved = errno;
    if (u->fd >= 0)
        close(u->fd);
    XXH3_freeState(u->hash);
    free(u->buffer);
    errno = saved;
    return rc;
}

int lc_contents_receive(struct lc_fill *fill, int root, const struct lc_contents *contents,
                        lc_contents_receiver *receive, void *arg)
{
    uint8_t *need = calloc(lc_contents_bitmap(contents) + 1, 1);
    const uint8_t *sent = NULL;
    struct lc_content_writer u;

    if (!need)
        return -1;
    int rc = lc_content_writer_begin(&u, fill, root, contents, need);
    if (rc == 0)
        rc = receive(arg, &u, need, &sent);
    int end = lc_content_writer_end(&u, rc == 0 ? sent : NULL), saved = errno;
    free(need);
    errno = saved;
    return rc < 0 ? rc : end;
}
