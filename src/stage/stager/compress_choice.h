/* SPDX-License-Identifier: MIT */
/* compress_choice.h - is it faster to compress chunks before they are sent?
 *
 * That depends on network, cores and content, so it is measured: runs of chunks are sent plain and
 * compressed, and the rates of raw bytes are compared. From time to time it is measured again.
 * Where the sender hardly waits for the network, it is not the network that limits the rate, and
 * compressing would only cost time on all nodes. Nor is it where the processors are busy while the
 * sender waits, unless the network is slow. */
#ifndef LC_STAGER_COMPRESS_CHOICE_H
#define LC_STAGER_COMPRESS_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed at first, but for idle_ns. */
struct lc_compress_choice {
    bool on;                  /* chunks of the current run are compressed */
    bool known;               /* both ways were measured */
    double rate[2];           /* raw bytes per second: plain, compressed; 0: not measured */
    uint64_t since_ns, bytes; /* of the current run */
    uint64_t waited_ns;       /* for the network, in the current run */
    unsigned chunks;          /* of the current run */
    unsigned runs;
    /* Nanoseconds that the processors of this machine, all together, have idled up to now; NULL:
     * assume that they idle. */
    uint64_t (*idle_ns)(void);
    uint64_t idle_since_ns; /* of the current run */
};

/* Call next() before sending a chunk and report() after it: the choice depends on both. */
bool lc_compress_choice_next(struct lc_compress_choice *choice, uint64_t now_ns);
void lc_compress_choice_report(struct lc_compress_choice *choice, size_t raw);
/* Report that the sender has waited for the network. */
void lc_compress_choice_waited(struct lc_compress_choice *choice, uint64_t ns);

#endif
