/* SPDX-License-Identifier: MIT */
/* store.c - write the content section of an image
 *
 * The hash is not cryptographic, so two contents with equal hashes are compared byte by byte before
 * they are stored as one. Small files are read whole and compared before anything is written. */
#include "image/store.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "image/format.h"
#include "util/io.h"

enum { BUFFER = 1 << 20 };

int lc_store_begin(struct lc_store *store, int fd, off_t start)
{
    *store = (struct lc_store){.fd = fd, .start = start, .buffer = malloc(2 * BUFFER)};
    return store->buffer ? 0 : -1;
}

void lc_store_end(struct lc_store *store)
{
    lc_map_free(&store->known, NULL);
    free(store->buffer);
    *store = (struct lc_store){.fd = -1};
}

static void *known_key(struct lc_store *store, const struct lc_stored *c)
{
    char key[64];

    snprintf(key, sizeof(key), "%" PRIx64 ".%" PRIx64 ".%" PRIx64, c->size, c->hash[0], c->hash[1]);
    return lc_map_at(&store->known, key);
}

int lc_store_known(struct lc_store *store, struct lc_stored *out)
{
    void **at = known_key(store, out);

    if (!at || !*at)
        return 0;
    out->offset = (uintptr_t)*at - 1;
    store->shared_bytes += out->size;
    return 1;
}

/* Make the content at the end of the section permanent; from now on equal content is found. */
static int content_commit(struct lc_store *store, struct lc_stored *c)
{
    void **at = known_key(store, c);

    if (!at)
        return -1;
    c->offset = store->len;
    *at = (void *)(uintptr_t)(c->offset + 1);
    store->len += (c->size + LC_IMAGE_PAGE - 1) / LC_IMAGE_PAGE * LC_IMAGE_PAGE;
    return 0;
}

/* Is the content at 'offset' equal to the uncommitted content at the end of the section? -1: one of
 * them cannot be read. */
static int is_same_on_disk(struct lc_store *store, uint64_t offset, uint64_t size)
{
    char *a = store->buffer, *b = store->buffer + BUFFER;

    for (uint64_t done = 0; done < size;) {
        size_t n = size - done < BUFFER ? size - done : BUFFER;
        if (lc_read_exactly(store->fd, a, n, store->start + (off_t)(offset + done)) < 0 ||
            lc_read_exactly(store->fd, b, n, store->start + (off_t)(store->len + done)) < 0)
            return -1;
        if (memcmp(a, b, n) != 0)
            return 0;
        done += n;
    }
    return 1;
}

static int is_same_in_memory(struct lc_store *store, uint64_t offset, const char *bytes,
                             uint64_t size)
{
    char *b = store->buffer + BUFFER;

    for (uint64_t done = 0; done < size;) {
        size_t n = size - done < BUFFER ? size - done : BUFFER;
        if (lc_read_exactly(store->fd, b, n, store->start + (off_t)(offset + done)) < 0)
            return -1;
        if (memcmp(bytes + done, b, n) != 0)
            return 0;
        done += n;
    }
    return 1;
}

static void set_hash(struct lc_stored *c, XXH128_hash_t hash)
{
    c->hash[0] = hash.low64;
    c->hash[1] = hash.high64;
}

int lc_store_bytes(struct lc_store *store, const void *bytes, uint64_t size, struct lc_stored *out)
{
    set_hash(out, XXH3_128bits(bytes, size));
    return lc_store_hashed(store, bytes, size, out);
}

int lc_store_hashed(struct lc_store *store, const void *bytes, uint64_t size, struct lc_stored *out)
{
    out->size = size;
    void **at = known_key(store, out);
    if (!at)
        return -1;
    if (*at) {
        int same = is_same_in_memory(store, (uintptr_t)*at - 1, bytes, size);
        if (same != 0)
            return same < 0 ? -1 : (lc_store_known(store, out), 0);
    }
    if (lc_write_at(store->fd, bytes, size, store->start + (off_t)store->len) < 0)
        return -1;
    return content_commit(store, out);
}

static int is_zero(const char *bytes, size_t len)
{
    return bytes[0] == 0 && memcmp(bytes, bytes + 1, len - 1) == 0;
}

/* Copy the file to the end of the section and compute its hash. */
static int copy_large(struct lc_store *store, int fd, off_t from, uint64_t size, int sparse,
                      struct lc_stored *out, XXH3_state_t *state)
{
    off_t to = store->start + (off_t)store->len;

    XXH3_128bits_reset(state);
    for (out->size = 0; out->size < size;) {
        size_t want = size - out->size < BUFFER ? size - out->size : BUFFER;
        ssize_t n = lc_read_at(fd, store->buffer, want, from + (off_t)out->size);
        if (n < 0)
            return LC_STORE_READ_FAILED;
        if (n == 0)
            break;
        XXH3_128bits_update(state, store->buffer, (size_t)n);
        if (!(sparse && is_zero(store->buffer, (size_t)n)) &&
            lc_write_at(store->fd, store->buffer, (size_t)n, to + (off_t)out->size) < 0)
            return -1;
        out->size += (uint64_t)n;
    }
    set_hash(out, XXH3_128bits_digest(state));
    return ftruncate(store->fd,
                     to + (off_t)out->size); /* the size must include a hole at the end */
}

/* Commit the copy at the end of the section, or drop it if equal content was stored before. */
static int keep_one(struct lc_store *store, struct lc_stored *out)
{
    void **at = known_key(store, out);

    if (!at)
        return -1;
    int same = *at ? is_same_on_disk(store, (uintptr_t)*at - 1, out->size) : 0;
    if (same < 0)
        return -1;
    if (!same)
        return content_commit(store, out);
    lc_store_known(store, out);
    return ftruncate(store->fd, store->start + (off_t)store->len);
}

static int store_large(struct lc_store *store, int fd, off_t from, uint64_t size, int sparse,
                       struct lc_stored *out)
{
    XXH3_state_t *state = XXH3_createState();
    int rc = state ? copy_large(store, fd, from, size, sparse, out, state) : -1;

    XXH3_freeState(state);
    if (rc == 0)
        return keep_one(store, out);
    int saved = errno;
    if (ftruncate(store->fd, store->start + (off_t)store->len) < 0)
        return -1;
    errno = saved;
    return rc;
}

int lc_store_fd(struct lc_store *store, int fd, off_t from, uint64_t size, int sparse,
                struct lc_stored *out)
{
    if (size > BUFFER)
        return store_large(store, fd, from, size, sparse, out);
    ssize_t n = lc_read_at(fd, store->buffer, size, from);
    return n < 0 ? LC_STORE_READ_FAILED : lc_store_bytes(store, store->buffer, (uint64_t)n, out);
}
