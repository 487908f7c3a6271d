/* SPDX-License-Identifier: MIT */
/* polite_threads.h - ask a file system many questions at once, but not more than it answers at once
 *
 * A server that takes one question after another gives every further question in flight the time of
 * those before it, and other users wait behind them. One that answers many at once, or is far away,
 * is asked fastest by many threads. The answers tell which it is: the number of threads rises while
 * answers stay as fast as the fastest seen, and is halved when they become slower. */
#ifndef LC_RECORD_POLITE_THREADS_H
#define LC_RECORD_POLITE_THREADS_H

#include <stdbool.h>
#include <stdint.h>

enum { LC_POLITE_KEPT = 64 };

/* How many questions may be in flight. Keep it from one run to the next on the same file system. */
struct lc_polite {
    long most;          /* set by the caller: never more */
    long open;          /* in flight now; 0: not yet begun */
    bool was_slow;      /* answers became slower once: from then on rise by one, not twofold */
    long quick_answers; /* that no server was asked for */
    long answers;       /* of this round */
    uint64_t time_ns[LC_POLITE_KEPT]; /* the last of them */
    uint64_t base_ns;                 /* the fastest round so far; 0: none */
};

/* Note how long one answer took; at the end of a round 'open' is set anew. */
void lc_polite_note(struct lc_polite *p, uint64_t answer_ns);

/* Call step(arg, &answer_ns) by up to 'open' threads, this one included, until it returns false.
 * 'step' sets answer_ns to the time that the file system took; 0: it was not asked. */
void lc_polite_run(struct lc_polite *p, bool (*step)(void *arg, uint64_t *answer_ns), void *arg);

#endif
