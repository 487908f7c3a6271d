/* SPDX-License-Identifier: MIT */
#include "util/test.h"

#include <stdatomic.h>
#include <time.h>

#include "record/polite_threads.h"

/* A server of so many microseconds of round trip, and so many of service, one after another. Notes
 * answers until 'count' of them, and returns the most that were in flight in the second half. */
static long most_in_flight(struct lc_polite *p, long latency_us, long service_us, int count)
{
    long most = 0;

    for (int i = 0; i < count; i++) {
        long in_flight = p->open > 0 ? p->open : 1;
        long busy_us = in_flight * service_us; /* what is in flight waits for each other */
        lc_polite_note(p, 1000ul * (unsigned long)(busy_us > latency_us + service_us
                                                       ? busy_us
                                                       : latency_us + service_us));
        if (i >= count / 2 && p->open > most)
            most = p->open;
    }
    return most;
}

static void a_server_that_answers_one_by_one_is_kept_busy_and_no_more(void **state)
{
    struct lc_polite p = {.most = 32};

    (void)state;
    assert_in_range(most_in_flight(&p, 0, 500, 400), 2, 4);
    assert_in_range(p.open, 2, 3);
}

static void a_server_far_away_is_asked_as_much_as_allowed_soon(void **state)
{
    struct lc_polite p = {.most = 32};
    int answers = 0;

    (void)state;
    for (; p.open < 32 && answers < 1000; answers++)
        lc_polite_note(&p, 1000000);
    assert_in_range(answers, 1, 50);
    assert_int_equal(most_in_flight(&p, 1000, 0, 400), 32);
}

static void between_them_it_is_asked_what_fills_the_way(void **state)
{
    struct lc_polite p = {.most = 32};

    (void)state;
    /* 10 in flight keep it busy; half as much again is noticed. */
    assert_in_range(most_in_flight(&p, 900, 100, 2000), 8, 17);
}

static void who_slows_down_gets_half_and_rises_by_one(void **state)
{
    struct lc_polite p = {.most = 32};

    (void)state;
    for (int i = 0; i < 100; i++)
        lc_polite_note(&p, 1000000);
    assert_int_equal(p.open, 32);
    p.answers = 0;
    for (int i = 0; i < 32; i++)
        lc_polite_note(&p, 5000000); /* others came */
    assert_int_equal(p.open, 16);
    for (int i = 0; i < 16 + 8 + 8 + 8 + 8; i++)
        lc_polite_note(&p, 5000000);
    assert_int_equal(p.open, 2);
    for (int i = 0; i < 8; i++)
        lc_polite_note(&p, 1000000); /* they went */
    assert_int_equal(p.open, 3);
    for (int i = 0; i < 8; i++)
        lc_polite_note(&p, 1000000);
    assert_int_equal(p.open, 4);
}

static void caches_of_this_machine_need_few_threads(void **state)
{
    struct lc_polite p = {.most = 32};

    (void)state;
    for (int i = 0; i < 1000; i++)
        lc_polite_note(&p, 1000);
    assert_int_equal(p.open, 4);
    p = (struct lc_polite){.most = 1};
    for (int i = 0; i < 1000; i++)
        lc_polite_note(&p, 1000);
    assert_int_equal(p.open, 1);
}

struct questions {
    atomic_int next, answered, in_flight, most;
    int count;
    uint64_t answer_ns;
};

static bool ask(void *arg, uint64_t *answer_ns)
{
    struct questions *q = arg;

    if (atomic_fetch_add(&q->next, 1) >= q->count)
        return false;
    int now = atomic_fetch_add(&q->in_flight, 1) + 1;
    for (int seen = q->most; now > seen && !atomic_compare_exchange_weak(&q->most, &seen, now);)
        ;
    nanosleep(&(struct timespec){0, 200000}, NULL);
    atomic_fetch_sub(&q->in_flight, 1);
    atomic_fetch_add(&q->answered, 1);
    *answer_ns = q->answer_ns;
    return true;
}

static void every_question_is_asked_once_by_no_more_than_allowed(void **state)
{
    static const long allowed[] = {1, 2, 7, 300};

    (void)state;
    for (size_t i = 0; i < sizeof(allowed) / sizeof(*allowed); i++) {
        struct lc_polite p = {.most = allowed[i]};
        struct questions q = {.count = 3000 / (i == 0 ? 10 : 1), .answer_ns = 1000000};
        lc_polite_run(&p, ask, &q);
        assert_int_equal(q.answered, q.count);
        assert_in_range(q.most, 1, allowed[i]);
        assert_int_equal(p.open, allowed[i]);
        q.next = 0; /* once more with the same knowledge, slower */
        q.answer_ns = 9000000;
        lc_polite_run(&p, ask, &q);
        assert_int_equal(q.answered, 2 * q.count);
        assert_int_equal(p.open, allowed[i] < 2 ? allowed[i] : 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_server_that_answers_one_by_one_is_kept_busy_and_no_more),
        cmocka_unit_test(a_server_far_away_is_asked_as_much_as_allowed_soon),
        cmocka_unit_test(between_them_it_is_asked_what_fills_the_way),
        cmocka_unit_test(who_slows_down_gets_half_and_rises_by_one),
        cmocka_unit_test(caches_of_this_machine_need_few_threads),
        cmocka_unit_test(every_question_is_asked_once_by_no_more_than_allowed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
