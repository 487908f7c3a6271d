/* SPDX-License-Identifier: MIT */
/* wire.h - messages and chunks through the ring (stage/mpi/ring.h) */
#ifndef LC_STAGER_WIRE_H
#define LC_STAGER_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stage/mpi/ring.h"

/* One end of the ring. */
struct lc_wire {
    unsigned char *memory;
    uint32_t free[LC_RING_SLOTS]; /* sender: slots that may be filled */
    size_t frees;
    uint8_t *need; /* the union over all nodes, once it has come; owned */
    uint32_t need_len;
    double patience_s;
    uint64_t wired; /* bytes of chunks so far, as sent */
};

/* Map the ring. 0, or -1 with errno. */
int lc_wire_open(struct lc_wire *wire, double patience_s);
void lc_wire_close(struct lc_wire *wire);

/* Another image comes: the nodes will agree anew on what they lack. */
void lc_wire_forget_need(struct lc_wire *wire);

struct lc_chunk *lc_wire_chunk(const struct lc_wire *wire, uint32_t slot);

/* Wait for the next message; what FREE and NEED say is stored in *wire. Its type, or -1 with errno:
 * ETIMEDOUT nothing came, EPIPE the other end is closed, EINTR a signal asks the stager to end. */
int lc_wire_next(struct lc_wire *wire, struct lc_ring_message *message);
/* Has a message come? */
bool lc_wire_is_ready(void);
int lc_wire_say(const struct lc_ring_message *message, const void *payload);

bool lc_wire_can_compress(void);
/* Compress into 'out' (room for 'len'); the size, or 0 if it did not get smaller. */
size_t lc_wire_compress(void *out, const void *in, size_t len);
/* Decompress. 0, or -1 with errno EBADMSG. */
int lc_wire_expand(void *out, size_t raw, const void *in, size_t len);

#endif
