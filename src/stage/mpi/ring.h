/* SPDX-License-Identifier: MIT */
/* ring.h - shared memory between stage-mpi, which moves bytes from node to node, and the stager on
 * each node
 *
 * Both map LC_RING_SLOTS slots of LC_RING_SLOT bytes and send each other messages through two
 * pipes. A message is struct lc_ring_message; LC_RING_NEED has 'len' bytes after it. The stager has
 * the memory as descriptor 3, reads messages from 4 and writes them to 5.
 *
 *   sender   (first node)  gets FREE for each slot it may fill, sends FILLED
 *   receiver (every node)  gets FILLED in order, sends FREE when it has read the slot
 *
 * After the head (LC_CHUNK_HEAD) each receiver sends NEED with a bit map of the contents it lacks.
 * The union over all nodes goes back to all of them and to the sender, which then sends those
 * contents (LC_CHUNK_DATA) and LC_CHUNK_END.
 *
 * The image may be compared with the file system meanwhile. If that is not over when all content
 * has been sent, LC_CHUNK_HELD is sent before the last chunk. Nodes do all but publish then. What
 * the sender sends next is a verdict: LC_CHUNK_END, publish; LC_CHUNK_AGAIN, another image comes
 * instead, beginning with its head; or LC_CHUNK_FAILED. After LC_CHUNK_HELD it reaches the nodes
 * through a tree, and each receiver gets it in a message (LC_RING_VERDICT) instead of a chunk.
 * LC_CHUNK_AGAIN may also come among the content, as a chunk.
 *
 * Only this file and stage-mpi.c are needed to build stage-mpi for
 * another MPI. 'loadcast predict' computes with the numbers below. */
#ifndef LC_STAGE_RING_H
#define LC_STAGE_RING_H

#include <stdint.h>

enum {
    LC_RING_SLOTS = 16,
    LC_RING_PAYLOAD = 256 << 10,
    LC_RING_SLOT = LC_RING_PAYLOAD + 4096,
    /* Sends that are under way at a time. More would share the link, and each chunk would take
     * longer at every hop of the chain; two keep the link busy. */
    LC_RING_SENDS = 2,
    /* Cores may be shared with stagers and other processes: with nothing to do stage-mpi sleeps,
     * longer and longer. At 1 GB/s a chunk takes 0.25 ms. */
    LC_RING_NAP_NS = 50000,
    LC_RING_LONGEST_NAP_NS = 1000000,
    /* A stream is announced to all nodes at once, before its first chunk goes along the chain. From
     * then on a node that waits for that chunk takes the shortest naps: for so long, and for so
     * long more for each node before it. */
    LC_RING_EXPECT_NS = 10000000,
    LC_RING_EXPECT_HOP_NS = 250000,
    LC_RING_FD = 3,
    LC_RING_IN = 4,
    LC_RING_OUT = 5,
};

enum lc_ring_type {
    LC_RING_FREE = 1,
    LC_RING_FILLED = 2,
    LC_RING_NEED = 3,
    LC_RING_VERDICT = 4, /* 'slot' is an enum lc_chunk_kind */
};

struct lc_ring_message {
    uint32_t type, slot, len, reserved;
};

enum lc_chunk_kind {
    LC_CHUNK_HEAD = 1,
    LC_CHUNK_DATA = 2,
    LC_CHUNK_END = 3,
    LC_CHUNK_FAILED = 4, /* the sender cannot go on */
    LC_CHUNK_HELD = 5,   /* that was all content; a verdict comes */
    LC_CHUNK_AGAIN = 6,  /* forget all that came; the head of another image comes */
};

/* At the start of each slot; 'wire' bytes follow, compressed (zstd) if that is less than 'raw'. */
struct lc_chunk {
    uint32_t kind;
    uint32_t need_bytes; /* size of the bit map in NEED */
    uint32_t raw, wire;
};

#endif
