/* SPDX-License-Identifier: MIT */
/* compress_choice_test.c - which chunks are compressed on networks with given times per chunk */
#include "util/test.h"

#include "stage/stager/compress_choice.h"

enum { CHUNK = 256 << 10, CHUNKS = 64 * 60 };

/* Nanoseconds that a chunk takes: plain, compressed. */
struct wire {
    uint64_t ns[2];
    bool reader; /* it is the reader of the image that takes this time, not the network */
};

/* Send chunks; how many of them were compressed. */
static unsigned run(struct lc_compress_choice *choice, const struct wire *wire, uint64_t *now,
                    unsigned chunks)
{
    unsigned compressed = 0;

    for (unsigned i = 0; i < chunks; i++) {
        bool on = lc_compress_choice_next(choice, *now);
        *now += wire->ns[on];
        lc_compress_choice_waited(choice, wire->reader ? 0 : wire->ns[on]);
        compressed += on;
        lc_compress_choice_report(choice, CHUNK);
    }
    return compressed;
}

static void slow_links_are_worth_the_work(void **state)
{
    struct lc_compress_choice choice = {0};
    uint64_t now = 1;

    (void)state;
    assert_true(run(&choice, &(struct wire){{26000000, 9000000}, false}, &now, CHUNKS) >
                CHUNKS * 8 / 10);
}

static void fast_links_are_not(void **state)
{
    struct lc_compress_choice choice = {0};
    uint64_t now = 1;

    (void)state;
    assert_true(run(&choice, &(struct wire){{200000, 900000}, false}, &now, CHUNKS) <
                CHUNKS * 2 / 10);
}

static void a_slow_reader_is_no_reason(void **state)
{
    struct lc_compress_choice choice = {0};
    uint64_t now = 1;

    (void)state;
    assert_int_equal(run(&choice, &(struct wire){{26000000, 9000000}, true}, &now, CHUNKS), 0);
}

static uint64_t never_idle(void)
{
    return 1000;
}

static void busy_processors_decide_on_fast_links_only(void **state)
{
    struct lc_compress_choice choice = {.idle_ns = never_idle};
    uint64_t now = 1;

    (void)state;
    assert_int_equal(run(&choice, &(struct wire){{2000000, 1000000}, false}, &now, CHUNKS), 0);
    assert_true(run(&choice, &(struct wire){{26000000, 9000000}, false}, &now, CHUNKS) >
                CHUNKS * 6 / 10);
}

static void content_that_does_not_shrink_is_not(void **state)
{
    struct lc_compress_choice choice = {0};
    uint64_t now = 1;

    (void)state;
    assert_true(run(&choice, &(struct wire){{26000000, 26100000}, false}, &now, CHUNKS) <
                CHUNKS * 2 / 10);
}

static void a_wire_that_changes_is_noticed(void **state)
{
    struct lc_compress_choice choice = {0};
    uint64_t now = 1;

    (void)state;
    run(&choice, &(struct wire){{200000, 900000}, false}, &now, CHUNKS);
    assert_true(run(&choice, &(struct wire){{26000000, 9000000}, false}, &now, CHUNKS) >
                CHUNKS * 6 / 10);
    assert_true(run(&choice, &(struct wire){{200000, 900000}, false}, &now, CHUNKS) <
                CHUNKS * 4 / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slow_links_are_worth_the_work),
        cmocka_unit_test(fast_links_are_not),
        cmocka_unit_test(a_slow_reader_is_no_reason),
        cmocka_unit_test(busy_processors_decide_on_fast_links_only),
        cmocka_unit_test(content_that_does_not_shrink_is_not),
        cmocka_unit_test(a_wire_that_changes_is_noticed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
