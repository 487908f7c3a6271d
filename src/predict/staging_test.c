/* SPDX-License-Identifier: MIT */
/* staging_test.c - ways of staging against closed forms, and against published figures */
#include "util/test.h"

#include <math.h>

#include "predict/staging.h"
#include "stage/mpi/ring.h"

static const struct lc_machine_model fast_reader = {
    .total_mb_s = 1e6, .node_mb_s = 1e6, .link_mb_s = 1000, .memory_mb_s = 1e6};

static void expect_near(double got, double want, double share)
{
    if (fabs(got - want) > share * fabs(want))
        fail_msg("%.9g, expected %.9g", got, want);
}

/* A chain takes the stream's own time, and one hop more for each node, twice: head and content. */
static void the_chain_is_a_pipeline(void **state)
{
    struct lc_machine_model m = fast_reader;
    double chunks = 1000, bytes = (chunks - 1) * LC_RING_PAYLOAD;
    double chunk_s = LC_RING_SLOT / 1e9 + 12.5e-6; /* on the wire, and half a nap for two */
    struct lc_chain two = lc_stage_chain(&m, 2, bytes), many = lc_stage_chain(&m, 1002, bytes);

    (void)state;
    expect_near(two.steady_s, chunk_s, 1e-9);
    expect_near(two.chunks, chunks, 1e-9);
    expect_near(two.total_s, two.hop_s + two.content_hop_s + chunks * chunk_s, 1e-9);
    expect_near(many.total_s - two.total_s, 1000 * (two.hop_s + two.content_hop_s), 1e-9);
}

/* Naps are short while the first chunk is expected, and long where a link is slower than that. Two
 * chunks of content may share a link. */
static void a_node_that_expects_a_chunk_sleeps_lightly(void **state)
{
    const double nap_s = LC_RING_NAP_NS * 1e-9, slow_nap_s = 16 * nap_s;
    struct lc_machine_model m = fast_reader;

    (void)state;
    m.link_mb_s = 3000;
    expect_near(lc_stage_chain(&m, 2, 1e9).hop_s, LC_RING_SLOT / 3e9 + nap_s / 2, 1e-9);
    expect_near(lc_stage_chain(&m, 2, 1e9).content_hop_s, 1.5 * LC_RING_SLOT / 3e9 + nap_s / 2,
                1e-9);
    m.link_mb_s = 100;
    expect_near(lc_stage_chain(&m, 2, 1e9).hop_s, LC_RING_SLOT / 1e8 + slow_nap_s / 2, 1e-9);
}

static void a_window_of_sends_bounds_a_slow_way(void **state)
{
    struct lc_machine_model m = fast_reader;

    (void)state;
    m.link_latency_us = 10000;
    expect_near(lc_stage_chain(&m, 2, 1e9).steady_s, (LC_RING_SLOT / 1e9 + 0.02) / LC_RING_SENDS,
                1e-9);
}

static void one_node_needs_no_chain(void **state)
{
    struct lc_machine_model m = fast_reader;

    (void)state;
    m.node_mb_s = 100;
    expect_near(lc_stage_chain(&m, 1, 1e9).total_s, 10, 1e-3);
}

static void a_tree_doubles_at_each_level(void **state)
{
    (void)state;
    expect_near(lc_stage_tree_s(&fast_reader, 1, 1e9), 2e-3, 1e-9);
    expect_near(lc_stage_tree_s(&fast_reader, 2, 1e9), 1.002, 1e-9);
    expect_near(lc_stage_tree_s(&fast_reader, 1024, 1e9), 10.002, 1e-9);
    expect_near(lc_stage_tree_s(&fast_reader, 1025, 1e9), 11.002, 1e-9);
}

/* Per level of the tree: a byte takes no time here. */
static void distant_nodes_are_later(void **state)
{
    struct lc_machine_model m = fast_reader;

    (void)state;
    m.link_latency_us = 1e6;
    m.topology = LC_TOPOLOGY_FLAT;
    expect_near(lc_stage_tree_s(&m, 1000, 1), 10, 1e-6);
    m.topology = LC_TOPOLOGY_FAT_TREE;
    expect_near(lc_stage_tree_s(&m, 1000, 1), 12, 1e-6);
    expect_near(lc_stage_tree_s(&m, 32, 1), 5, 1e-6); /* below one switch */
    m.topology = LC_TOPOLOGY_TORUS;
    expect_near(lc_stage_tree_s(&m, 1000, 1), 10 * (1 + 0.1 * 6.5), 1e-6);
}

static void sbcast_sends_block_after_block(void **state)
{
    const double block = 8 << 20;

    (void)state; /* two blocks to 4 nodes below one sender; then with a second level below it */
    expect_near(lc_stage_sbcast_s(&fast_reader, 4, 2 * block), 2 * 4 * block / 1e9, 1e-2);
    expect_near(lc_stage_sbcast_s(&fast_reader, 2500, 2 * block), 2 * 2 * 50 * block / 1e9, 1e-2);
}

static void readers_share_what_the_servers_send(void **state)
{
    const struct lc_machine_model m = {
        .total_mb_s = 1000, .node_mb_s = 500, .halved_at_nodes = 100};

    (void)state;
    expect_near(lc_stage_read_s(&m, 1, 1e9), 2, 1e-9);
    expect_near(lc_stage_read_s(&m, 100, 1e9), 200, 1e-9); /* half of the bandwidth is left */
}

struct bcast_row {
    double nodes, bcast_s, tar_s;
};

/* python-mpi-bcast, as published: seconds in the broadcast and in unpacking. The row of one node
 * gives what a user knows: the bundle's size (the time to read and write it, at the rates of the
 * machine file) and the time to unpack it. Not used for any fit. */
static void expect_bcast(const char *machine, struct bcast_row one, const struct bcast_row *rows,
                         int count)
{
    struct lc_machine_model m;
    double sum = 0;

    if (lc_machine_load(&m, machine, NULL) < 0)
        skip();
    double bytes = one.bcast_s / (1e-6 / m.node_mb_s + 1e-6 / m.memory_mb_s);
    for (int i = 0; i < count; i++) {
        double was = rows[i].bcast_s + rows[i].tar_s;
        sum += fabs((lc_stage_tree_s(&m, rows[i].nodes, bytes) + one.tar_s) / was - 1);
    }
    print_message("# python-mpi-bcast on %s: mean error %.1f %%\n", machine, 100 * sum / count);
    assert_true(sum / count < 0.20);
}

static void staging_on_edison_is_predicted(void **state)
{
    static const struct bcast_row rows[] = {
        {2, 0.478, 7.612},     {4, 0.618, 7.686},    {8, 0.768, 7.624},     {16, 0.876, 7.669},
        {32, 1.068, 7.707},    {64, 1.193, 7.716},   {128, 1.313, 8.050},   {256, 1.490, 9.567},
        {512, 1.697, 7.953},   {1024, 1.926, 8.997}, {2048, 3.431, 31.420}, {4096, 2.167, 11.157},
        {5310, 2.158, 43.117},
    };

    (void)state;
    expect_bcast("edison", (struct bcast_row){1, 0.433, 7.585}, rows, 13);
}

/* By the method that was chosen for Edison, unchanged; see doc/figures.md. */
static void staging_on_blue_waters_is_predicted(void **state)
{
    static const struct bcast_row rows[] = {
        {2, 1.336, 7.793},    {4, 1.667, 7.773},    {8, 1.995, 12.193},   {16, 2.379, 7.622},
        {32, 2.879, 7.609},   {64, 6.312, 7.622},   {128, 3.333, 7.676},  {256, 3.675, 8.279},
        {512, 3.961, 7.661},  {1024, 4.355, 7.751}, {2048, 4.903, 7.809}, {4096, 5.201, 8.083},
        {8192, 5.589, 8.571},
    };

    (void)state;
    expect_bcast("blue-waters", (struct bcast_row){1, 1.037, 7.727}, rows, 13);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_chain_is_a_pipeline),
        cmocka_unit_test(a_node_that_expects_a_chunk_sleeps_lightly),
        cmocka_unit_test(a_window_of_sends_bounds_a_slow_way),
        cmocka_unit_test(one_node_needs_no_chain),
        cmocka_unit_test(a_tree_doubles_at_each_level),
        cmocka_unit_test(distant_nodes_are_later),
        cmocka_unit_test(sbcast_sends_block_after_block),
        cmocka_unit_test(readers_share_what_the_servers_send),
        cmocka_unit_test(staging_on_edison_is_predicted),
        cmocka_unit_test(staging_on_blue_waters_is_predicted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
