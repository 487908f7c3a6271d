/* SPDX-License-Identifier: MIT */
/* compress_choice.c - is it faster to compress chunks before they are sent? */
#include "stage/stager/compress_choice.h"

#include "stage/mpi/ring.h"

enum { SLOW_BYTES_S = 50000000 };
/* A run must be much longer than the ring, which takes its first chunks without waiting. */
enum { CHUNKS_PER_RUN = 4 * LC_RING_SLOTS, RUNS_BETWEEN_TRIALS = 12 };

/* Was half a processor free during the run? On a slow network that does not matter: compressing and
 * expanding would take a small part of the time even on a busy one. */
static bool has_idle(const struct lc_compress_choice *choice, uint64_t now_ns)
{
    uint64_t took_ns = now_ns - choice->since_ns;
    bool is_slow = (double)choice->bytes * 1e9 < SLOW_BYTES_S * (double)took_ns;

    return is_slow || !choice->idle_ns || choice->idle_ns() - choice->idle_since_ns > took_ns / 2;
}

/* Has a plain run waited for the network for more than an eighth of its time? */
static bool is_held_up(const struct lc_compress_choice *choice, uint64_t now_ns)
{
    return choice->on ||
           (choice->waited_ns > (now_ns - choice->since_ns) / 8 && has_idle(choice, now_ns));
}

static void run_begin(struct lc_compress_choice *choice, uint64_t now_ns)
{
    choice->since_ns = now_ns;
    choice->idle_since_ns = choice->idle_ns ? choice->idle_ns() : 0;
    choice->bytes = choice->waited_ns = 0;
    choice->chunks = 0;
}

static void run_end(struct lc_compress_choice *choice, uint64_t now_ns)
{
    if (!is_held_up(choice, now_ns)) {
        run_begin(choice, now_ns);
        return;
    }
    choice->rate[choice->on] =
        (double)choice->bytes * 1e9 / (double)(now_ns - choice->since_ns + 1);
    choice->runs++;
    if (!choice->known) { /* first plain, then compressed, then the faster one */
        choice->known = choice->on;
        choice->on = choice->on ? choice->rate[1] > choice->rate[0] : true;
    } else if (choice->runs % RUNS_BETWEEN_TRIALS == 0) {
        choice->on = !choice->on;
    } else {
        choice->on = choice->rate[1] > choice->rate[0];
    }
    run_begin(choice, now_ns);
}

bool lc_compress_choice_next(struct lc_compress_choice *choice, uint64_t now_ns)
{
    if (choice->since_ns == 0)
        run_begin(choice, now_ns);
    if (choice->chunks >= CHUNKS_PER_RUN)
        run_end(choice, now_ns);
    return choice->on;
}

void lc_compress_choice_report(struct lc_compress_choice *choice, size_t raw)
{
    choice->chunks++;
    choice->bytes += raw;
}

void lc_compress_choice_waited(struct lc_compress_choice *choice, uint64_t ns)
{
    choice->waited_ns += ns;
}
