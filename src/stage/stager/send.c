/* SPDX-License-Identifier: MIT */
/* send.c - read the image and send its chunks into the ring; one process of a job does this */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stage/content_batch.h"
#include "stage/stager/compress_choice.h"
#include "stage/stager/stager.h"
#include "stage/stager/wire.h"
#include "util/clock.h"

enum { AWAIT_MS = 200 };

struct sender {
    struct lc_wire wire;
    struct lc_content_batch batch;
    uint32_t need_bytes;
    struct lc_compress_choice choice;
    char *piece;   /* a chunk before compression */
    uint64_t sent; /* bytes, before compression */
};

/* Wait for a slot that may be filled. */
static int slot_take(struct sender *s, uint32_t *slot)
{
    struct lc_ring_message m;
    uint64_t began = s->wire.frees == 0 ? lc_clock_ns() : 0;

    while (s->wire.frees == 0)
        if (lc_wire_next(&s->wire, &m) < 0)
            return -1;
    if (began)
        lc_compress_choice_waited(&s->choice, lc_clock_ns() - began);
    *slot = s->wire.free[--s->wire.frees];
    return 0;
}

static int chunk_send(struct sender *s, uint32_t slot, uint32_t kind, size_t raw, size_t wire)
{
    *lc_wire_chunk(&s->wire, slot) =
        (struct lc_chunk){kind, s->need_bytes, (uint32_t)raw, (uint32_t)wire};
    s->wire.wired += wire;
    return lc_wire_say(&(struct lc_ring_message){LC_RING_FILLED, slot,
                                                 (uint32_t)(sizeof(struct lc_chunk) + wire), 0},
                       NULL);
}

static int bytes_send(struct sender *s, uint32_t kind, const char *data, size_t len)
{
    while (len > 0) {
        size_t n = len < LC_RING_PAYLOAD ? len : LC_RING_PAYLOAD;
        uint32_t slot;
        if (slot_take(s, &slot) < 0)
            return -1;
        memcpy(lc_wire_chunk(&s->wire, slot) + 1, data, n);
        if (chunk_send(s, slot, kind, n, n) < 0)
            return -1;
        data += n;
        len -= n;
    }
    return 0;
}

static int head_send(struct sender *s)
{
    struct lc_buf head = {0};
    int rc = lc_content_batch_add_head(&s->batch, 0, &head);

    if (rc == 0)
        rc = bytes_send(s, LC_CHUNK_HEAD, head.data, head.len);
    int saved = errno;
    lc_buf_free(&head);
    errno = saved;
    return rc;
}

/* Send one chunk of content, compressed or not. 0, 1 at the end, or -1 with errno. */
static int content_chunk_send(struct sender *s, struct lc_content_reader *reader)
{
    uint32_t slot;

    if (slot_take(s, &slot) < 0)
        return -1;
    void *payload = lc_wire_chunk(&s->wire, slot) + 1;
    bool compress = lc_compress_choice_next(&s->choice, lc_clock_ns()) && lc_wire_can_compress();
    ssize_t n = lc_content_reader_read(reader, compress ? s->piece : payload, LC_RING_PAYLOAD);
    if (n < 0)
        return -1;
    if (n == 0)
        return chunk_send(s, slot, LC_CHUNK_END, 0, 0) < 0 ? -1 : 1;
    size_t wire = compress ? lc_wire_compress(payload, s->piece, (size_t)n) : (size_t)n;
    if (wire == 0) {
        memcpy(payload, s->piece, (size_t)n);
        wire = (size_t)n;
    }
    lc_compress_choice_report(&s->choice, (size_t)n);
    s->sent += (uint64_t)n;
    return chunk_send(s, slot, LC_CHUNK_DATA, (size_t)n, wire);
}

static int content_send(struct sender *s)
{
    struct lc_ring_message m;
    int rc = 0;

    while (!s->wire.need)
        if (lc_wire_next(&s->wire, &m) < 0)
            return -1;
    if (s->wire.need_len != s->need_bytes)
        return errno = EPROTO, -1;
    struct lc_content_reader reader = {.image = s->batch.image,
                                       .fill = &s->batch.fill,
                                       .contents = &s->batch.contents,
                                       .need = s->wire.need};
    uint64_t all = lc_content_reader_bytes(&reader);
    while (rc == 0) {
        rc = content_chunk_send(s, &reader);
        lc_report_progress(s->sent, all);
    }
    int saved = errno;
    lc_content_reader_free(&reader);
    errno = saved;
    return rc < 0 ? -1 : 0;
}

static int image_send(struct sender *s, const char *image, struct lc_error *err)
{
    if (lc_content_batch_open(&s->batch, image, err) < 0)
        return -1;
    s->need_bytes = (uint32_t)lc_contents_bitmap(&s->batch.contents);
    s->piece = malloc(LC_RING_PAYLOAD);
    int rc = s->piece ? head_send(s) : -1;
    if (rc == 0)
        rc = content_send(s);
    return rc < 0 ? lc_error_errno(err, "cannot send '%s'", image) : 0;
}

/* Wait for the path of an image that is being checked. 0, or -1 with errno: it will not come, or
 * somebody asks us to end. */
static int image_await(char out[PATH_MAX])
{
    struct pollfd p = {.fd = 0, .events = POLLIN};

    for (size_t n = 0; n < PATH_MAX;) {
        if (lc_stager_is_asked_to_end())
            return errno = EINTR, -1;
        lc_report_beat();
        if (poll(&p, 1, AWAIT_MS) <= 0)
            continue;
        ssize_t got = read(0, out + n, PATH_MAX - n);
        if (got <= 0)
            return errno = ECANCELED, -1;
        n += (size_t)got;
        if (memchr(out, '\0', n))
            return 0;
    }
    return errno = ENAMETOOLONG, -1;
}

int lc_stager_send(const struct lc_stager *o, const char *image)
{
    struct sender s = {0};
    struct lc_error err;
    char late[PATH_MAX];
    int rc = -1;

    /* Not reported: 'loadcast run' has given up, or begins a step of the usual kind. */
    if (strcmp(image, "@") == 0 && image_await(late) < 0)
        return 1;
    image = strcmp(image, "@") == 0 ? late : image;
    if (lc_wire_open(&s.wire, o->patience_s) < 0) {
        lc_error_errno(&err, "cannot map the ring");
    } else {
        rc = image_send(&s, image, &err);
        lc_wire_close(&s.wire);
    }
    if (rc < 0)
        lc_report(
            json_pack("{s:b, s:b, s:o}", "ok", 0, "sender", 1, "error", lc_json_text(err.text)));
    lc_content_batch_close(&s.batch);
    free(s.piece);
    return rc < 0 ? 1 : 0;
}
