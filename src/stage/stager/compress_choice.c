/* SPDX-License-Identifier: MIT */
/* compress_choice.c - does compressing pay on this wire? */
#include "stage/stager/compress_choice.h"

#include "stage/mpi/ring.h"

/* A stretch must be much longer than the ring, which takes its first chunks at once. */
enum { STRETCH = 4 * LC_RING_SLOTS, STRETCHES_BETWEEN_TRIALS = 12 };

static void end_stretch(struct lc_pays *pays, uint64_t now_ns)
{
    pays->rate[pays->on] = (double)pays->bytes * 1e9 / (double)(now_ns - pays->since_ns + 1);
    pays->stretch++;
    if (!pays->known) { /* plain, then compressed, then the better one */
        pays->known = pays->on;
        pays->on = pays->on ? pays->rate[1] > pays->rate[0] : true;
    } else if (pays->stretch % STRETCHES_BETWEEN_TRIALS == 0) {
        pays->on = !pays->on;
    } else {
        pays->on = pays->rate[1] > pays->rate[0];
    }
    pays->since_ns = now_ns;
    pays->bytes = 0;
    pays->chunks = 0;
}

bool lc_pays_to_compress(struct lc_pays *pays, uint64_t now_ns)
{
    if (pays->since_ns == 0)
        pays->since_ns = now_ns;
    if (pays->chunks >= STRETCH)
        end_stretch(pays, now_ns);
    return pays->on;
}

void lc_pays_sent(struct lc_pays *pays, size_t raw)
{
    pays->chunks++;
    pays->bytes += raw;
}
