/* SPDX-License-Identifier: MIT */
/* compress_choice.c - does compressing pay on this wire? */
#include "stage/stager/compress_choice.h"

#include "stage/mpi/ring.h"

/* A stretch must be much longer than the ring, which takes its first chunks at once. */
enum { STRETCH = 4 * LC_RING_SLOTS, STRETCHES_BETWEEN_TRIALS = 12 };

static void end_stretch(struct lc_compress_choice *choice, uint64_t now_ns)
{
    choice->rate[choice->on] =
        (double)choice->bytes * 1e9 / (double)(now_ns - choice->since_ns + 1);
    choice->stretch++;
    if (!choice->known) { /* plain, then compressed, then the better one */
        choice->known = choice->on;
        choice->on = choice->on ? choice->rate[1] > choice->rate[0] : true;
    } else if (choice->stretch % STRETCHES_BETWEEN_TRIALS == 0) {
        choice->on = !choice->on;
    } else {
        choice->on = choice->rate[1] > choice->rate[0];
    }
    choice->since_ns = now_ns;
    choice->bytes = 0;
    choice->chunks = 0;
}

bool lc_compress_choice_next(struct lc_compress_choice *choice, uint64_t now_ns)
{
    if (choice->since_ns == 0)
        choice->since_ns = now_ns;
    if (choice->chunks >= STRETCH)
        end_stretch(choice, now_ns);
    return choice->on;
}

void lc_compress_choice_report(struct lc_compress_choice *choice, size_t raw)
{
    choice->chunks++;
    choice->bytes += raw;
}
