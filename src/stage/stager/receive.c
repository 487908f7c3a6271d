/* SPDX-License-Identifier: MIT */
/* receive.c - stage from chunks that come through the ring, while later chunks are on their way */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stage/content_batch.h"
#include "stage/stager/stager.h"
#include "stage/stager/wire.h"

/* Another job may be staging the same image here, and its broadcast may wait for a node on which it
 * waits for ours: neither may hold up the other. Wait so long (seconds) for the other one. */
static const double OTHER_JOB_WAIT_S = 0.5;
/* For the head of an image that is being checked (seconds): as good as for ever. */
static const double CHECK_WAIT_S = 1e9;
/* While the check goes on, other processes are told so often (seconds) that this one is alive. */
static const double VERDICT_WAIT_S = 0.25;

struct receiver {
    struct lc_wire wire;
    struct lc_buf head;
    struct lc_content_batch_head about;
    struct lc_image image; /* the index without content */
    uint32_t need_bytes;
    bool answered; /* LC_RING_NEED was sent */
    bool ended;    /* the last chunk has come */
    bool is_good;  /* it was LC_CHUNK_END, or the verdict was: the image may be used */
    bool is_held;  /* all content has come, a verdict is awaited */
    bool is_again; /* another image comes instead */
    bool is_busy;  /* another process stages the image here: this one takes no part in the
                      broadcast */
    char *piece;   /* a chunk after decompression */
};

static int slot_release(uint32_t slot)
{
    return lc_wire_say(&(struct lc_ring_message){LC_RING_FREE, slot, 0, 0}, NULL);
}

/* Another image comes: say anew what this node lacks. */
static void again_note(struct receiver *r)
{
    r->is_again = true;
    r->answered = false;
    lc_wire_forget_need(&r->wire);
}

/* Wait for the next chunk. NULL with errno (ECANCELED: the sender failed, or is_again). */
static const struct lc_chunk *chunk_next(struct receiver *r, uint32_t *slot)
{
    struct lc_ring_message m;
    int type;

    while ((type = lc_wire_next(&r->wire, &m)) != LC_RING_FILLED)
        if (type < 0)
            return NULL;
    const struct lc_chunk *c = lc_wire_chunk(&r->wire, m.slot);
    *slot = m.slot;
    if (c->kind == LC_CHUNK_FAILED)
        return r->ended = true, errno = ECANCELED, NULL;
    if (c->kind == LC_CHUNK_AGAIN) {
        again_note(r);
        slot_release(m.slot);
        return errno = ECANCELED, NULL;
    }
    if (c->wire > LC_RING_PAYLOAD || c->raw > LC_RING_PAYLOAD || c->wire > c->raw)
        return errno = EPROTO, NULL;
    r->need_bytes = c->need_bytes;
    r->ended = r->is_good = c->kind == LC_CHUNK_END;
    r->is_held = c->kind == LC_CHUNK_HELD;
    r->wire.wired += c->wire;
    return c;
}

static int head_take(struct receiver *r)
{
    uint32_t slot;
    int whole;

    while ((whole = lc_content_batch_read_head(r->head.data, r->head.len, &r->about)) == 0) {
        const struct lc_chunk *c = chunk_next(r, &slot);
        if (!c)
            return -1;
        if (c->kind != LC_CHUNK_HEAD)
            return errno = EPROTO, -1;
        lc_buf_add(&r->head, c + 1, c->wire);
        if (slot_release(slot) < 0 || r->head.failed)
            return -1;
    }
    return whole < 0 ? -1 : 0;
}

static int need_send(struct receiver *r, const uint8_t *need)
{
    r->answered = true;
    return lc_wire_say(&(struct lc_ring_message){LC_RING_NEED, 0, r->need_bytes, 0}, need);
}

static int chunk_write(struct receiver *r, struct lc_content_writer *u, const struct lc_chunk *c)
{
    const char *data = (const char *)(c + 1);

    if (!r->wire.need || c->kind != LC_CHUNK_DATA)
        return errno = EPROTO, -1;
    if (c->wire < c->raw) {
        if (lc_wire_expand(r->piece, c->raw, data, c->wire) < 0)
            return -1;
        data = r->piece;
    }
    return lc_content_writer_add(u, r->wire.need, data, c->raw);
}

static int chunks_write(struct receiver *r, struct lc_content_writer *u)
{
    for (;;) {
        uint32_t slot;
        const struct lc_chunk *c = chunk_next(r, &slot);
        if (!c)
            return -1;
        bool is_all = r->ended || r->is_held;
        int rc = is_all ? 0 : chunk_write(r, u, c), saved = errno;
        if (slot_release(slot) < 0)
            return -1;
        errno = saved;
        if (rc < 0 || is_all)
            return rc;
    }
}

static int contents_write(void *arg, struct lc_content_writer *u, const uint8_t *need,
                          const uint8_t **sent)
{
    struct receiver *r = arg;

    if (need_send(r, need) < 0 || chunks_write(r, u) < 0)
        return -1;
    *sent = r->wire.need;
    return 0;
}

static int contents_take(void *arg, struct lc_fill *fill, int root,
                         const struct lc_contents *contents)
{
    const struct receiver *r = arg;

    if (lc_contents_bitmap(contents) != r->need_bytes)
        return errno = EPROTO, -1;
    return lc_contents_receive(fill, root, contents, contents_write, arg);
}

static int files_fill(void *arg, struct lc_fill *fill, struct lc_error *err)
{
    int rc = lc_stager_fill_files(fill, contents_take, arg, err);

    if (rc < 0 && (errno == ECANCELED || errno == EPIPE))
        lc_error_set(err, "the broadcast of '%s' broke off", fill->image->file);
    return rc;
}

/* Wait until the image was checked. 0, or -1 with errno (ECANCELED: the sender failed, or
 * is_again). */
static int verdict_wait(struct receiver *r, struct lc_stage_lock *lock)
{
    struct lc_ring_message m = {.slot = LC_CHUNK_END};
    double patience_s = r->wire.patience_s;
    int type = r->is_held ? 0 : LC_RING_VERDICT;

    r->wire.patience_s = VERDICT_WAIT_S;
    while (type != LC_RING_VERDICT) {
        type = lc_wire_next(&r->wire, &m);
        if (type < 0 && errno != ETIMEDOUT)
            break;
        if (lock)
            lc_stage_lock_beat(lock);
    }
    r->wire.patience_s = patience_s;
    r->is_held = false;
    if (type < 0)
        return -1;
    if (m.slot == LC_CHUNK_AGAIN)
        again_note(r);
    r->ended = m.slot != LC_CHUNK_AGAIN;
    r->is_good = m.slot == LC_CHUNK_END;
    return r->is_good ? 0 : (errno = ECANCELED, -1);
}

static int verdict_await(void *arg, struct lc_fill *fill, struct lc_error *err)
{
    struct receiver *r = arg;

    if (!r->is_held || verdict_wait(r, fill->lock) == 0)
        return 0;
    return lc_error_set(err, "the broadcast of '%s' broke off", fill->image->file);
}

/* This node needs nothing, or cannot stage: request nothing and release all chunks, so that the
 * other nodes can go on. */
static void chunks_discard(struct receiver *r)
{
    uint8_t *none = calloc((size_t)r->need_bytes + 1, 1);

    if (none && !r->answered)
        need_send(r, none);
    free(none);
    while (!r->ended && !r->is_again) {
        uint32_t slot;
        if (r->is_held ? verdict_wait(r, NULL) < 0
                       : !chunk_next(r, &slot) || slot_release(slot) < 0)
            return;
    }
}

/* What was staged, to be reported when the verdict has come. */
struct staged {
    struct lc_nodedir node;
    struct lc_stage_report did;
};

static int image_receive(const struct lc_stager *s, struct receiver *r, struct staged *staged,
                         struct lc_error *err)
{
    struct lc_stage_options how;
    char origin[PATH_MAX];

    if (lc_stager_options(s, &how, origin, err) < 0)
        return -1;
    r->wire.patience_s = s->early ? CHECK_WAIT_S : s->patience_s;
    if (head_take(r) < 0)
        return lc_error_errno(err, "the image's index did not come");
    r->wire.patience_s = s->patience_s;
    if (lc_content_batch_index(r->head.data, &r->about, &r->image, err) < 0)
        return -1;
    how.id = r->about.id;
    how.image = &r->image;
    how.fill_files = files_fill;
    how.before_publishing = verdict_await;
    how.arg = r;
    how.most_s = OTHER_JOB_WAIT_S;
    int rc = lc_stage(r->image.file, &how, &staged->node, &staged->did, err);
    r->is_busy = rc < 0 && errno == ETIMEDOUT && !r->answered;
    return rc;
}

static void image_forget(struct receiver *r)
{
    lc_content_batch_free_index(&r->image);
    lc_buf_free(&r->head);
    r->is_again = r->is_busy = false;
}

static void receiver_free(struct receiver *r)
{
    image_forget(r);
    lc_wire_close(&r->wire);
    free(r->piece);
}

/* Use what the other process stages; if it fails, this node reads the image itself. */
static int other_image_use(const struct lc_stager *s, struct receiver *r)
{
    struct lc_stager same = *s;
    char *file = strdup(r->image.file);

    same.id = r->about.id;
    same.most_s = s->patience_s; /* it may be waiting for its own image to be checked */
    receiver_free(r);
    int code = file ? lc_stager_fs(&same, file) : 1;
    free(file);
    return code;
}

/* Release all chunks to the end, whatever images they are of. */
static void all_discard(struct receiver *r)
{
    do {
        r->is_again = false;
        chunks_discard(r);
    } while (r->is_again);
}

/* Stage one image of the broadcast. 0 with *staged open, or -1 with err filled; r->is_again:
 * neither, another image comes. What this node had before, or another process stages here, is not
 * used without the verdict: the image may be out of date. */
static int image_take(const struct lc_stager *s, struct receiver *r, struct staged *staged,
                      struct lc_error *err)
{
    image_forget(r);
    int rc = image_receive(s, r, staged, err);

    if (!r->is_again && (rc == 0 || r->is_busy) && !r->ended && !lc_stager_is_asked_to_end())
        chunks_discard(r);
    bool is_in_doubt = s->early && !r->is_good;
    if (rc == 0 && (r->is_again || is_in_doubt))
        lc_nodedir_close(&staged->node);
    if (is_in_doubt && (rc == 0 || r->is_busy)) {
        r->is_busy = false;
        rc = lc_error_set(err, "the broadcast of '%s' broke off", r->image.file);
    }
    return rc;
}

/* Stage what comes, and what comes instead of it. 0 with *staged open, or -1; what cannot be staged
 * is reported. */
static int images_receive(const struct lc_stager *s, struct receiver *r, struct staged *staged)
{
    struct lc_error err;
    int rc;

    do
        rc = image_take(s, r, staged, &err);
    while (r->is_again);
    if (rc < 0 && !r->is_busy) {
        lc_report_error(&err);
        lc_stager_sweep(s);
        if (!r->ended && !lc_stager_is_asked_to_end())
            all_discard(r);
    }
    return rc;
}

int lc_stager_receive(const struct lc_stager *s)
{
    struct receiver r = {.piece = malloc(LC_RING_PAYLOAD), .image = {.fd = -1}};
    struct staged staged;
    struct lc_error err;

    if (!r.piece || lc_wire_open(&r.wire, s->patience_s) < 0) {
        lc_error_errno(&err, "cannot map the ring");
        lc_report_error(&err);
        free(r.piece);
        return 1;
    }
    int rc = images_receive(s, &r, &staged);
    if (rc == 0) {
        lc_report_staged(&staged.node, &staged.did, r.wire.wired);
        lc_nodedir_close(&staged.node);
    }
    if (r.is_busy)
        return other_image_use(s, &r);
    receiver_free(&r);
    return rc < 0 ? 1 : 0;
}
