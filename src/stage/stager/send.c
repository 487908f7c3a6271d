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
#include "stage/delta_source.h"
#include "stage/stager/compress_choice.h"
#include "stage/stager/stager.h"
#include "stage/stager/wire.h"
#include "util/clock.h"

enum { AWAIT_MS = 200, IS_OTHER = 1 };
/* For MPI to be started on all nodes (seconds): who starts it has a limit of his own. */
static const double START_WAIT_S = 1e9;
/* What is read ahead should still be in this node's page cache when it is sent. */
static const uint64_t MOST_AHEAD = 512u << 20;

/* What the check of the image has told. */
enum verdict {
    VERDICT_NONE,
    VERDICT_SAME,
    VERDICT_OTHER, /* another image is to be published: sender.told */
    VERDICT_LOST,  /* it will not come: 'loadcast run' has given up, or the launcher does not carry
                      standard input */
};

struct sender {
    struct lc_wire wire;
    struct lc_content_batch batch;
    uint64_t id; /* of the image that is to be sent; 0: whatever the file holds */
    uint32_t need_bytes;
    struct lc_compress_choice choice;
    char *piece;   /* a chunk before compression */
    uint64_t sent; /* bytes, before compression */
    enum verdict verdict;
    char told[PATH_MAX + 24]; /* "ID PATH" from standard input */
    size_t told_len;
    struct lc_content_reader ahead; /* reads while messages are waited for; need: all contents */
    uint64_t ahead_bytes;
};

/* Nanoseconds that all processors together have idled, from /proc/stat: "cpu USER NICE SYSTEM IDLE
 * IOWAIT ..." in ticks. */
static uint64_t processors_idle_ns(void)
{
    unsigned long long idle, waiting;
    FILE *f = fopen("/proc/stat", "re");
    bool is_known = f && fscanf(f, "cpu %*u %*u %*u %llu %llu", &idle, &waiting) == 2;

    if (f)
        fclose(f);
    return is_known ? (uint64_t)((double)(idle + waiting) * 1e9 / (double)sysconf(_SC_CLK_TCK))
                    : lc_clock_ns();
}

static enum verdict verdict_of(struct sender *s)
{
    char *end;

    s->id = strtoull(s->told, &end, 16);
    if (end == s->told || *end != ' ')
        return VERDICT_LOST;
    return s->id == s->batch.id ? VERDICT_SAME : VERDICT_OTHER;
}

/* Read what has come of the verdict; wait so long for more. */
static enum verdict verdict_read(struct sender *s, int wait_ms)
{
    struct pollfd p = {.fd = 0, .events = POLLIN};

    if (s->verdict != VERDICT_NONE || poll(&p, 1, wait_ms) <= 0)
        return s->verdict;
    ssize_t got = read(0, s->told + s->told_len, sizeof(s->told) - s->told_len);
    if (got < 0 && errno == EINTR)
        return s->verdict;
    s->told_len += got > 0 ? (size_t)got : 0;
    if (memchr(s->told, '\0', s->told_len))
        s->verdict = verdict_of(s);
    else if (got <= 0 || s->told_len == sizeof(s->told))
        s->verdict = VERDICT_LOST;
    return s->verdict;
}

/* All content has been sent. */
static enum verdict verdict_await(struct sender *s)
{
    while (verdict_read(s, AWAIT_MS) == VERDICT_NONE && !lc_stager_is_asked_to_end())
        lc_report_wait();
    return s->verdict;
}

static void contents_find(void *arg, int user, const char *user_path)
{
    struct lc_delta_sources *sources = lc_delta_sources_find(user, user_path, "");

    *(bool *)arg |= sources != NULL;
    lc_delta_sources_free(sources);
}

/* If this node has no content yet, all will be needed: it can be read before the nodes agree. */
static void ahead_begin(struct sender *s, const char *dir)
{
    size_t bits = s->need_bytes;
    bool has_contents = false;

    lc_nodedir_each_user(dir, contents_find, NULL, &has_contents);
    uint8_t *all = has_contents ? NULL : malloc(bits + 1);
    if (!all)
        return;
    memset(all, 0xff, bits + 1);
    s->ahead = (struct lc_content_reader){.image = s->batch.image,
                                          .fill = &s->batch.fill,
                                          .contents = &s->batch.contents,
                                          .need = all};
}

static void ahead_end(struct sender *s)
{
    lc_content_reader_free(&s->ahead);
    free((void *)(uintptr_t)s->ahead.need);
    s->ahead.need = NULL;
}

/* The next message; what will be needed is read into the page cache until it comes. */
static int message_next(struct sender *s, struct lc_ring_message *m)
{
    while (s->ahead.need && !lc_wire_is_ready() && !lc_stager_is_asked_to_end()) {
        ssize_t n = lc_content_reader_read(&s->ahead, s->piece, LC_RING_PAYLOAD);
        s->ahead_bytes += n > 0 ? (uint64_t)n : 0;
        if (n <= 0 || s->ahead_bytes >= MOST_AHEAD)
            ahead_end(s); /* a failure is reported when it is read to be sent */
    }
    return lc_wire_next(&s->wire, m);
}

/* Wait for a slot that may be filled. */
static int slot_take(struct sender *s, uint32_t *slot)
{
    struct lc_ring_message m;
    uint64_t began = s->wire.frees == 0 ? lc_clock_ns() : 0;

    while (s->wire.frees == 0)
        if (message_next(s, &m) < 0)
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

static int mark_send(struct sender *s, uint32_t kind)
{
    uint32_t slot;

    return slot_take(s, &slot) < 0 ? -1 : chunk_send(s, slot, kind, 0, 0);
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
    if (n <= 0) {
        s->wire.free[s->wire.frees++] = slot;
        return n < 0 ? -1 : 1;
    }
    size_t wire = compress ? lc_wire_compress(payload, s->piece, (size_t)n) : (size_t)n;
    if (wire == 0) {
        memcpy(payload, s->piece, (size_t)n);
        wire = (size_t)n;
    }
    lc_compress_choice_report(&s->choice, (size_t)n);
    s->sent += (uint64_t)n;
    return chunk_send(s, slot, LC_CHUNK_DATA, (size_t)n, wire);
}

static int need_await(struct sender *s)
{
    struct lc_ring_message m;

    while (!s->wire.need)
        if (message_next(s, &m) < 0)
            return -1;
    ahead_end(s);
    return s->wire.need_len == s->need_bytes ? 0 : (errno = EPROTO, -1);
}

/* Until all is sent, or another image is to be sent. 0, or -1 with errno. */
static int content_send(struct sender *s)
{
    int rc = need_await(s);

    if (rc < 0)
        return -1;
    struct lc_content_reader reader = {.image = s->batch.image,
                                       .fill = &s->batch.fill,
                                       .contents = &s->batch.contents,
                                       .need = s->wire.need};
    uint64_t all = lc_content_reader_bytes(&reader);
    s->sent = 0;
    while (rc == 0 && verdict_read(s, 0) < VERDICT_OTHER) {
        rc = content_chunk_send(s, &reader);
        lc_report_progress(s->sent, all);
    }
    int saved = errno;
    lc_content_reader_free(&reader);
    errno = saved;
    return rc < 0 ? -1 : 0;
}

/* All content has been sent, or need not be. IS_OTHER: another image is to be sent. */
static int stream_end(struct sender *s)
{
    if (s->verdict == VERDICT_NONE) {
        if (mark_send(s, LC_CHUNK_HELD) < 0)
            return -1;
        verdict_await(s);
    }
    switch (s->verdict) {
    case VERDICT_SAME:
        return mark_send(s, LC_CHUNK_END);
    case VERDICT_OTHER:
        return mark_send(s, LC_CHUNK_AGAIN) < 0 ? -1 : IS_OTHER;
    default:
        return errno = ECANCELED, -1;
    }
}

/* The file may have been replaced since it was checked, or this node may still see the old one. */
static int image_open(struct sender *s, const char *image, struct lc_error *err)
{
    if (lc_content_batch_open(&s->batch, image, err) < 0)
        return -1;
    if (s->id == 0 || s->id == s->batch.id)
        return 0;
    errno = EBADMSG;
    return lc_error_set(err, "'%s' was replaced just now", image);
}

/* 0, IS_OTHER, or -1 with err filled. */
static int image_send(struct sender *s, const char *dir, const char *image, struct lc_error *err)
{
    if (image_open(s, image, err) < 0)
        return -1;
    s->need_bytes = (uint32_t)lc_contents_bitmap(&s->batch.contents);
    if (dir)
        ahead_begin(s, dir);
    double patience_s = s->wire.patience_s;
    s->wire.patience_s = START_WAIT_S;
    int rc = head_send(s);
    s->wire.patience_s = patience_s;
    if (rc == 0)
        rc = content_send(s);
    if (rc == 0)
        rc = stream_end(s);
    return rc < 0 ? lc_error_errno(err, "cannot send '%s'", image) : rc;
}

/* The image has changed since it was recorded. */
static int other_image_send(struct sender *s, struct lc_error *err)
{
    lc_content_batch_close(&s->batch);
    lc_wire_forget_need(&s->wire);
    s->verdict = VERDICT_SAME;
    return image_send(s, NULL, strchr(s->told, ' ') + 1, err);
}

static void failure_report(const char *image, const struct lc_error *err)
{
    json_t *report = lc_report_of_image(image, err);

    json_object_set_new(report, "sender", json_true());
    lc_report(report);
}

int lc_stager_send(const struct lc_stager *o, const char *image)
{
    struct sender s = {.id = o->early ? 0 : o->id,
                       .verdict = o->early ? VERDICT_NONE : VERDICT_SAME,
                       .piece = malloc(LC_RING_PAYLOAD),
                       .choice.idle_ns = processors_idle_ns};
    struct lc_error err;
    int rc = -1;

    if (!s.piece || lc_wire_open(&s.wire, o->patience_s) < 0) {
        lc_error_errno(&err, "cannot map the ring");
    } else {
        rc = image_send(&s, o->dir, image, &err);
        if (rc == IS_OTHER)
            rc = other_image_send(&s, &err);
        lc_wire_close(&s.wire);
    }
    if (rc < 0 && s.verdict != VERDICT_LOST && !lc_stager_is_asked_to_end())
        failure_report(image, &err);
    ahead_end(&s);
    lc_content_batch_close(&s.batch);
    free(s.piece);
    return rc < 0 ? 1 : 0;
}
