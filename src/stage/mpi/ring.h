/* SPDX-License-Identifier: MIT */
/* ring.h - between stage-mpi, which moves bytes from node to node, and the stager on each node
 *
 * Both map one piece of memory, LC_RING_SLOTS slots of LC_RING_SLOT bytes, and tell each other by
 * pipes which slot holds what. A message on a pipe is struct lc_ring_message; LC_RING_NEED has
 * 'len' bytes after it. The stager has the memory as descriptor 3, reads messages from 4, writes
 * to 5.
 *
 *   sender  (first node)  gets FREE for each slot it may fill, says FILLED
 *   receiver (every node) gets FILLED in order, says FREE when it needs the slot no more
 *
 * After the head (LC_CHUNK_HEAD) each receiver says NEED, which contents it lacks; the union of all
 * goes back to all of them and to the sender, which then sends that (LC_CHUNK_DATA). This file and
 * stage-mpi.c are all that is needed to build stage-mpi for another MPI. */
#ifndef LC_STAGE_RING_H
#define LC_STAGE_RING_H

#include <stdint.h>

enum {
    LC_RING_SLOTS = 16,
    LC_RING_PAYLOAD = 256 << 10,
    LC_RING_SLOT = LC_RING_PAYLOAD + 4096,
    LC_RING_FD = 3,
    LC_RING_IN = 4,
    LC_RING_OUT = 5,
};

enum lc_ring_type { LC_RING_FREE = 1, LC_RING_FILLED = 2, LC_RING_NEED = 3 };

struct lc_ring_message {
    uint32_t type, slot, len, reserved;
};

enum lc_chunk_kind {
    LC_CHUNK_HEAD = 1,
    LC_CHUNK_DATA = 2,
    LC_CHUNK_END = 3,
    LC_CHUNK_FAILED = 4, /* the sender cannot go on */
};

/* At the start of each slot; 'wire' bytes follow, compressed (zstd) if that is less than 'raw'. */
struct lc_chunk {
    uint32_t kind;
    uint32_t need_bytes; /* size of the map in NEED */
    uint32_t raw, wire;
};

#endif
