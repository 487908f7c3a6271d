/* SPDX-License-Identifier: MIT */
/* content_batch.c - stage from a content batch that was sent to this node as a file; and, before it
 * is sent, report which contents this node lacks */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stage/content_batch.h"
#include "stage/delta_source.h"
#include "stage/stager/stager.h"
#include "util/io.h"

enum { PIECE = 1 << 20 };

struct opened {
    int fd;
    size_t len; /* of the file */
    char *data; /* the part before the contents, in memory */
    struct lc_content_batch_head head;
    struct lc_image image; /* the index without content */
};

/* Read everything before the contents. The lengths in the head are checked, not trusted. */
static int head_read(struct opened *o)
{
    struct lc_content_batch_head said;
    struct stat st;

    if (o->fd < 0 || fstat(o->fd, &st) < 0)
        return -1;
    o->len = (size_t)st.st_size;
    if (o->len < sizeof(o->head) || lc_read_exactly(o->fd, &said, sizeof(said), 0) < 0 ||
        lc_content_batch_read_head(&said, o->len, &o->head) <= 0)
        return errno = EBADMSG, -1;
    size_t n = sizeof(o->head) + o->head.path_len + o->head.index_len;
    n += o->head.need_len < o->len - n ? o->head.need_len : o->len - n;
    if (!(o->data = malloc(n)))
        return -1;
    if (lc_read_exactly(o->fd, o->data, n, 0) < 0)
        return errno = EBADMSG, -1;
    memcpy(o->data, &o->head, sizeof(o->head));
    return 0;
}

static int batch_open(struct opened *o, const char *file, struct lc_error *err)
{
    *o = (struct opened){.fd = open(file, O_RDONLY | O_NOFOLLOW | O_CLOEXEC), .image = {.fd = -1}};
    if (head_read(o) == 0)
        return lc_content_batch_index(o->data, &o->head, &o->image, err);
    if (errno != EBADMSG)
        return lc_error_errno(err, "cannot read '%s', which was sent here", file);
    return lc_error_set(err, "'%s', which was sent here, is cut short", file);
}

static void batch_close(struct opened *o)
{
    lc_content_batch_free_index(&o->image);
    free(o->data);
    if (o->fd >= 0)
        close(o->fd);
}

static int batch_stage(const struct lc_stager *s, struct opened *o,
                       int (*fill_files)(void *, struct lc_fill *, struct lc_error *),
                       struct lc_nodedir *node, struct lc_stage_report *did, struct lc_error *err)
{
    struct lc_stage_options how;
    char origin[PATH_MAX];

    if (lc_stager_options(s, &how, origin, err) < 0)
        return -1;
    how.id = o->head.id;
    how.image = &o->image;
    how.fill_files = fill_files;
    how.arg = o;
    return lc_stage(o->image.file, &how, node, did, err);
}

static int contents_write_all(struct lc_content_writer *u, const uint8_t *sent,
                              const struct opened *o, size_t from)
{
    char *piece = malloc(PIECE);
    int rc = piece ? 0 : -1;

    for (size_t at = from; rc == 0 && at < o->len;) {
        size_t n = o->len - at < PIECE ? o->len - at : PIECE;
        rc = lc_read_exactly(o->fd, piece, n, (off_t)at);
        if (rc == 0)
            rc = lc_content_writer_add(u, sent, piece, n);
        at += n;
        lc_report_progress(at - from, o->len - from);
        if (rc == 0 && lc_stager_is_asked_to_end())
            rc = (errno = EINTR, -1);
    }
    int saved = errno;
    free(piece);
    errno = saved;
    return rc;
}

static int contents_write(void *arg, struct lc_content_writer *u, const uint8_t *need,
                          const uint8_t **sent)
{
    const struct opened *o = arg;
    size_t at = sizeof(o->head) + o->head.path_len + o->head.index_len;

    (void)need; /* it was reported before the batch was sent */
    *sent = (const uint8_t *)o->data + at;
    return contents_write_all(u, *sent, o, at + o->head.need_len);
}

static int contents_take(void *arg, struct lc_fill *fill, int root,
                         const struct lc_contents *contents)
{
    const struct opened *o = arg;
    size_t bits = lc_contents_bitmap(contents),
           at = sizeof(o->head) + o->head.path_len + o->head.index_len;

    if (o->head.need_len != bits || o->len - at < bits)
        return errno = EPROTO, -1;
    return lc_contents_receive(fill, root, contents, contents_write, arg);
}

static int files_fill(void *arg, struct lc_fill *fill, struct lc_error *err)
{
    return lc_stager_fill_files(fill, contents_take, arg, err);
}

/* 'lacks': contents that this node had when it was asked are damaged or gone. */
static void failure_report(const struct lc_error *err, bool lacks)
{
    lc_report(
        json_pack("{s:b, s:o, s:b}", "ok", 0, "error", lc_json_text(err->text), "lacks", lacks));
}

int lc_stager_batch(const struct lc_stager *s, const char *file)
{
    struct opened o;
    struct lc_nodedir node;
    struct lc_stage_report did;
    struct lc_error err;
    int rc = batch_open(&o, file, &err);

    unlink(file); /* it is open, so its memory is freed when this process ends, however it ends */
    if (rc == 0)
        rc = batch_stage(s, &o, files_fill, &node, &did, &err);
    if (rc == 0) {
        lc_report_staged(&node, &did, o.len);
        lc_nodedir_close(&node);
    } else {
        failure_report(&err, errno == EIO);
        lc_stager_sweep(s);
    }
    batch_close(&o);
    return rc < 0 ? 1 : 0;
}

static bool sources_have(const struct lc_fill *fill, const struct lc_contents *c, uint32_t content)
{
    for (uint32_t i = c->first[content]; i < c->first[content + 1]; i++)
        if (!lc_delta_sources_path(fill->sources, &fill->image->look.inode[c->inode[i]]))
            return false;
    return true;
}

/* Report the bits in short lines, since launchers mix long lines of several processes. Parts
 * without a set bit are left out. */
static void bits_report(const uint8_t *need, size_t len)
{
    enum { MOST = 256 };
    char text[2 * MOST + 1];

    for (size_t at = 0; at < len; at += MOST) {
        size_t n = len - at < MOST ? len - at : MOST;
        unsigned any = 0;
        for (size_t i = 0; i < n; i++) {
            snprintf(text + 2 * i, 3, "%02x", need[at + i]);
            any |= need[at + i];
        }
        if (any)
            lc_report_need(at, text);
    }
}

/* Called instead of writing files: reports which contents this node lacks, and fails, so that
 * nothing is staged. */
static int lacking_report(void *arg, struct lc_fill *fill, struct lc_error *err)
{
    struct lc_contents contents;
    uint8_t *need = NULL;

    (void)arg;
    if (lc_contents_list(&contents, fill) == 0 &&
        (need = calloc(lc_contents_bitmap(&contents) + 1, 1))) {
        for (uint32_t i = 0; i < contents.count; i++)
            if (fill->image->look.inode[contents.inode[contents.first[i]]].size > 0 &&
                !sources_have(fill, &contents, i))
                need[i / 8] |= (uint8_t)(1u << (i % 8));
        bits_report(need, lc_contents_bitmap(&contents));
    }
    free(need);
    lc_contents_free(&contents);
    errno = ECANCELED;
    return lc_error_set(err, "only asked");
}

int lc_stager_need(const struct lc_stager *s, const char *file)
{
    struct opened o;
    struct lc_nodedir node;
    struct lc_stage_report did;
    struct lc_error err;

    /* A node that cannot stage requests no content; it reports why when the batch has come. */
    lc_report_beat();
    if (batch_open(&o, file, &err) == 0 &&
        batch_stage(s, &o, lacking_report, &node, &did, &err) == 0)
        lc_nodedir_close(&node);
    batch_close(&o);
    return 0;
}
