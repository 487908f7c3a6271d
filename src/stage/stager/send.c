/* SPDX-License-Identifier: MIT */
/* send.c - the one process of a job that reads the image, in large pieces in its own order */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image/image.h"
#include "stage/stager/pays.h"
#include "stage/stager/stager.h"
#include "stage/stager/wire.h"
#include "stage/stream.h"
#include "util/buf.h"
#include "util/clock.h"

struct sender {
    struct lc_wire wire;
    struct lc_image *image;
    struct lc_fill fill;
    struct lc_contents contents;
    uint32_t need_bytes;
    struct lc_pays pays;
    char *piece; /* what is to be compressed */
};

/* A slot to fill: waits for one. */
static int take_slot(struct sender *s, uint32_t *slot)
{
    struct lc_ring_message m;

    while (s->wire.frees == 0)
        if (lc_wire_next(&s->wire, &m) < 0)
            return -1;
    *slot = s->wire.free[--s->wire.frees];
    return 0;
}

static int hand_over(struct sender *s, uint32_t slot, uint32_t kind, size_t raw, size_t wire)
{
    *lc_wire_chunk(&s->wire, slot) =
        (struct lc_chunk){kind, s->need_bytes, (uint32_t)raw, (uint32_t)wire};
    s->wire.wired += wire;
    return lc_wire_say(&(struct lc_ring_message){LC_RING_FILLED, slot,
                                                 (uint32_t)(sizeof(struct lc_chunk) + wire), 0},
                       NULL);
}

static int send_bytes(struct sender *s, uint32_t kind, const char *data, size_t len)
{
    while (len > 0) {
        size_t n = len < LC_RING_PAYLOAD ? len : LC_RING_PAYLOAD;
        uint32_t slot;
        if (take_slot(s, &slot) < 0)
            return -1;
        memcpy(lc_wire_chunk(&s->wire, slot) + 1, data, n);
        if (hand_over(s, slot, kind, n, n) < 0)
            return -1;
        data += n;
        len -= n;
    }
    return 0;
}

/* The index as every node is to have it, in memory. */
static void *make_index(const struct lc_image *image, size_t *len)
{
    int fd = memfd_create("index", MFD_CLOEXEC);
    struct stat st;
    void *at = MAP_FAILED;

    if (fd >= 0 && lc_image_save_index(&image->look, fd) == 0 && fstat(fd, &st) == 0) {
        *len = (size_t)st.st_size;
        at = mmap(NULL, *len, PROT_READ, MAP_SHARED, fd, 0);
    }
    int saved = errno;
    if (fd >= 0)
        close(fd);
    errno = saved;
    return at == MAP_FAILED ? NULL : at;
}

static int send_head(struct sender *s)
{
    size_t len = 0;
    char *path = realpath(s->image->file, NULL);
    void *index = make_index(s->image, &len);
    const char *name = path ? path : s->image->file;
    struct lc_wire_head head = {LC_WIRE_MAGIC, lc_look_id(&s->image->look), len, strlen(name)};
    struct lc_buf all = {0};

    lc_buf_add(&all, &head, sizeof(head));
    lc_buf_add(&all, name, head.path_len);
    int rc = -1;
    if (index && lc_buf_add(&all, index, len) == 0)
        rc = send_bytes(s, LC_CHUNK_HEAD, all.data, all.len);
    int saved = errno;
    if (index)
        munmap(index, len);
    lc_buf_free(&all);
    free(path);
    errno = saved;
    return rc;
}

/* One chunk of content, straight into its slot or by way of the compressor; 1 at the end. */
static int send_chunk(struct sender *s, struct lc_feed *feed)
{
    uint32_t slot;

    if (take_slot(s, &slot) < 0)
        return -1;
    void *payload = lc_wire_chunk(&s->wire, slot) + 1;
    bool compress = lc_pays_to_compress(&s->pays, lc_clock_ns()) && lc_wire_can_compress();
    ssize_t n = lc_feed_read(feed, compress ? s->piece : payload, LC_RING_PAYLOAD);
    if (n < 0)
        return -1;
    if (n == 0)
        return hand_over(s, slot, LC_CHUNK_END, 0, 0) < 0 ? -1 : 1;
    size_t wire = compress ? lc_wire_compress(payload, s->piece, (size_t)n) : (size_t)n;
    if (wire == 0) {
        memcpy(payload, s->piece, (size_t)n);
        wire = (size_t)n;
    }
    lc_pays_sent(&s->pays, (size_t)n);
    return hand_over(s, slot, LC_CHUNK_DATA, (size_t)n, wire);
}

static int send_content(struct sender *s)
{
    struct lc_ring_message m;
    int rc = 0;

    while (!s->wire.need)
        if (lc_wire_next(&s->wire, &m) < 0)
            return -1;
    if (s->wire.need_len != s->need_bytes)
        return errno = EPROTO, -1;
    struct lc_feed feed = {
        .image = s->image, .fill = &s->fill, .contents = &s->contents, .need = s->wire.need};
    while (rc == 0) {
        rc = send_chunk(s, &feed);
        lc_report_beat();
    }
    int saved = errno;
    lc_feed_free(&feed);
    errno = saved;
    return rc < 0 ? -1 : 0;
}

static int send_all(struct sender *s, struct lc_error *err)
{
    s->fill = (struct lc_fill){.image = s->image, .fd = -1, .origin = "", .streamed = true};
    s->piece = malloc(LC_RING_PAYLOAD);
    int rc = s->piece ? lc_fill_plan(&s->fill) : -1;
    if (rc == 0)
        rc = lc_contents_list(&s->contents, &s->fill);
    s->need_bytes = (uint32_t)lc_contents_bitmap(&s->contents);
    if (rc == 0)
        rc = send_head(s);
    if (rc == 0)
        rc = send_content(s);
    return rc < 0 ? lc_error_errno(err, "cannot send '%s'", s->image->file) : 0;
}

int lc_stager_send(const struct lc_stager *o, const char *image)
{
    struct sender s = {0};
    struct lc_error err;
    int rc = -1;

    if (lc_wire_open(&s.wire, o->patience_s) < 0) {
        lc_error_errno(&err, "cannot map the ring");
    } else {
        s.image = lc_image_open(image, &err);
        rc = s.image ? send_all(&s, &err) : -1;
        lc_wire_close(&s.wire);
    }
    if (rc < 0)
        lc_report(
            json_pack("{s:b, s:b, s:o}", "ok", 0, "sender", 1, "error", lc_json_text(err.text)));
    lc_contents_free(&s.contents);
    lc_fill_end(&s.fill);
    lc_image_close(s.image);
    free(s.piece);
    return rc < 0 ? 1 : 0;
}
