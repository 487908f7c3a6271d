/* SPDX-License-Identifier: MIT */
/* polite_threads.c - as many questions in flight as the file system answers without a queue
 *
 * Additive increase, multiplicative decrease, by the time of answers: a queue shows in that before
 * anything is refused. A round is some answers, at least as many as may be in flight, so that it
 * has seen the effect of the last change. Its lower quartile counts: a queue delays every answer,
 * while only some have more to look up (directories whose cached names have expired). */
#include "record/polite_threads.h"

#include <pthread.h>
#include <stdlib.h>

enum {
    MOST_THREADS = 256,
    FIRST = 2,        /* in flight at the start: the base must be measured without a queue */
    LEAST = 2,        /* with one, the server waits while its answer is on the way */
    ROUND = 8,        /* answers, at least */
    QUICK_NS = 30000, /* faster than any server over a network: from this machine's caches */
    QUICK_OPEN = 4,   /* threads for those, which cost CPU time only */
    SLACK_NS = 20000, /* what a busy CPU adds to an answer */
};

static long at_most(long n, long most)
{
    return n < most ? n : most;
}

static bool is_slower(uint64_t time_ns, uint64_t base_ns, uint64_t percent)
{
    return time_ns > base_ns * percent / 100 + SLACK_NS;
}

static int compare_times(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

static uint64_t lower_quartile(uint64_t *value, long count)
{
    qsort(value, (size_t)count, sizeof(*value), compare_times);
    return value[count / 4];
}

static void round_judge(struct lc_polite *p)
{
    uint64_t time_ns = lower_quartile(p->time_ns, at_most(p->answers, LC_POLITE_KEPT));

    if (p->base_ns == 0 || time_ns < p->base_ns)
        p->base_ns = time_ns;
    if (is_slower(time_ns, p->base_ns, 150)) {
        p->was_slow = true;
        p->open = at_most(p->open > 2 * LEAST ? p->open / 2 : LEAST, p->most);
    } else if (!is_slower(time_ns, p->base_ns, 120)) {
        p->open = at_most(p->was_slow ? p->open + 1 : p->open * 2, p->most);
    }
}

void lc_polite_note(struct lc_polite *p, uint64_t answer_ns)
{
    if (p->open == 0)
        p->open = at_most(FIRST, p->most);
    if (answer_ns < QUICK_NS) {
        if (++p->quick_answers == ROUND && p->open < QUICK_OPEN)
            p->open = at_most(QUICK_OPEN, p->most);
        return;
    }
    p->time_ns[p->answers++ % LC_POLITE_KEPT] = answer_ns;
    if (p->answers < ROUND || p->answers < p->open)
        return;
    round_judge(p);
    p->answers = 0;
}

/* The threads of one run. Thread number i works while i < open; thread 0 always does. */
struct crew {
    struct lc_polite *polite;
    bool (*step)(void *arg, uint64_t *answer_ns);
    void *arg;
    pthread_mutex_t lock; /* of all below, and of 'polite' */
    pthread_cond_t changed;
    pthread_t thread[MOST_THREADS];
    long started; /* thread 0, the caller, included */
    bool is_over; /* a step has returned false */
};

static void *crew_member(void *arg);

/* Starts threads up to 'open'. With the lock held. */
static void crew_grow(struct crew *c)
{
    long want = at_most(c->polite->open, MOST_THREADS);

    while (c->started < want && !c->is_over &&
           pthread_create(&c->thread[c->started], NULL, crew_member, c) == 0)
        c->started++;
    pthread_cond_broadcast(&c->changed);
}

/* Waits while too many are in flight. With the lock held. */
static void crew_wait_turn(struct crew *c, long number)
{
    while (number >= c->polite->open && number > 0 && !c->is_over)
        pthread_cond_wait(&c->changed, &c->lock);
}

static void crew_work(struct crew *c, long number)
{
    bool more = true;

    while (more) {
        uint64_t answer_ns = 0;
        more = c->step(c->arg, &answer_ns);
        if (more && answer_ns == 0)
            continue;
        pthread_mutex_lock(&c->lock);
        long open = c->polite->open;
        if (more)
            lc_polite_note(c->polite, answer_ns);
        else
            c->is_over = true;
        if (!more || c->polite->open > open)
            crew_grow(c);
        crew_wait_turn(c, number);
        more = !c->is_over;
        pthread_mutex_unlock(&c->lock);
    }
}

static void *crew_member(void *arg)
{
    struct crew *c = arg;

    pthread_mutex_lock(&c->lock);
    long number = 1;
    while (number < c->started && !pthread_equal(c->thread[number], pthread_self()))
        number++;
    pthread_mutex_unlock(&c->lock);
    crew_work(c, number);
    return NULL;
}

void lc_polite_run(struct lc_polite *p, bool (*step)(void *arg, uint64_t *answer_ns), void *arg)
{
    struct crew c = {.polite = p,
                     .step = step,
                     .arg = arg,
                     .lock = PTHREAD_MUTEX_INITIALIZER,
                     .changed = PTHREAD_COND_INITIALIZER,
                     .started = 1};

    if (p->open == 0)
        p->open = at_most(FIRST, p->most);
    pthread_mutex_lock(&c.lock);
    crew_grow(&c);
    pthread_mutex_unlock(&c.lock);
    crew_work(&c, 0);
    for (long i = 1; i < c.started; i++)
        pthread_join(c.thread[i], NULL);
    pthread_cond_destroy(&c.changed);
    pthread_mutex_destroy(&c.lock);
}
