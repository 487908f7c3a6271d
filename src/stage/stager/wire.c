/* SPDX-License-Identifier: MIT */
/* wire.c - messages and chunks through the ring */
#include "stage/stager/wire.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "config.h"
#include "stage/stager/stager.h"

#if defined(LC_WITHOUT_ZSTD) /* the small stager, which no MPI step uses */
#undef LC_HAVE_ZSTD
#define LC_HAVE_ZSTD 0
#endif
#if LC_HAVE_ZSTD
#include <zstd.h>
#endif

int lc_wire_open(struct lc_wire *wire, double patience_s)
{
    void *at = mmap(NULL, (size_t)LC_RING_SLOTS * LC_RING_SLOT, PROT_READ | PROT_WRITE, MAP_SHARED,
                    LC_RING_FD, 0);

    *wire = (struct lc_wire){.memory = at, .patience_s = patience_s};
    return at == MAP_FAILED ? -1 : 0;
}

void lc_wire_close(struct lc_wire *wire)
{
    free(wire->need);
    munmap(wire->memory, (size_t)LC_RING_SLOTS * LC_RING_SLOT);
}

void lc_wire_forget_need(struct lc_wire *wire)
{
    free(wire->need);
    wire->need = NULL;
    wire->need_len = 0;
}

struct lc_chunk *lc_wire_chunk(const struct lc_wire *wire, uint32_t slot)
{
    return (struct lc_chunk *)(wire->memory + (size_t)slot * LC_RING_SLOT);
}

bool lc_wire_is_ready(void)
{
    struct pollfd p = {.fd = LC_RING_IN, .events = POLLIN};

    return poll(&p, 1, 0) > 0;
}

static int ring_wait(double patience_s)
{
    struct pollfd p = {.fd = LC_RING_IN, .events = POLLIN};

    for (double waited = 0; waited < patience_s; waited += 0.25) {
        if (lc_stager_is_asked_to_end())
            return errno = EINTR, -1;
        if (poll(&p, 1, 250) > 0)
            return 0;
    }
    return errno = ETIMEDOUT, -1;
}

static int ring_read(void *out, size_t len, double patience_s)
{
    for (size_t done = 0; done < len;) {
        if (ring_wait(patience_s) < 0)
            return -1;
        ssize_t n = read(LC_RING_IN, (char *)out + done, len - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return errno = n == 0 ? EPIPE : errno, -1;
        done += (size_t)n;
    }
    return 0;
}

static int need_take(struct lc_wire *wire, uint32_t len)
{
    free(wire->need);
    wire->need = calloc((size_t)len + 1, 1);
    wire->need_len = len;
    return wire->need ? ring_read(wire->need, len, wire->patience_s) : -1;
}

int lc_wire_next(struct lc_wire *wire, struct lc_ring_message *m)
{
    if (ring_read(m, sizeof(*m), wire->patience_s) < 0)
        return -1;
    if (m->type == LC_RING_NEED)
        return need_take(wire, m->len) < 0 ? -1 : (int)m->type;
    if (m->slot >= LC_RING_SLOTS)
        return errno = EPROTO, -1;
    if (m->type == LC_RING_FREE && wire->frees < LC_RING_SLOTS)
        wire->free[wire->frees++] = m->slot;
    return (int)m->type;
}

int lc_wire_say(const struct lc_ring_message *m, const void *payload)
{
    const struct {
        const void *data;
        size_t len;
    } part[] = {{m, sizeof(*m)}, {payload, payload ? m->len : 0}};

    for (size_t i = 0; i < 2; i++)
        for (size_t done = 0; done < part[i].len;) {
            ssize_t n = write(LC_RING_OUT, (const char *)part[i].data + done, part[i].len - done);
            if (n < 0 && errno == EINTR && !lc_stager_is_asked_to_end())
                continue;
            if (n <= 0)
                return -1;
            done += (size_t)n;
        }
    return 0;
}

size_t lc_wire_compress(void *out, const void *in, size_t len)
{
#if LC_HAVE_ZSTD
    size_t n = ZSTD_compress(out, len, in, len, 1);

    return ZSTD_isError(n) || n >= len ? 0 : n;
#else
    (void)out, (void)in, (void)len;
    return 0;
#endif
}

bool lc_wire_can_compress(void)
{
    return LC_HAVE_ZSTD;
}

int lc_wire_expand(void *out, size_t raw, const void *in, size_t len)
{
#if LC_HAVE_ZSTD
    if (ZSTD_decompress(out, raw, in, len) == raw)
        return 0;
#else
    (void)out, (void)raw, (void)in, (void)len;
#endif
    return errno = EBADMSG, -1;
}
