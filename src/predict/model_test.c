/* SPDX-License-Identifier: MIT */
/* model_test.c - the model's limits against closed forms, and the published curves */
#include "util/test.h"

#include <math.h>
#include <string.h>

#include "predict/predict.h"

static const struct lc_machine_model plain_machine = {
    .name = "test",
    .nodes = 1000,
    .ranks_per_node = 10,
    .meta_servers = 1,
    .lookups_per_s = 1000,
    .misses_per_s = 2000,
    .opens_per_s = 500,
    .data_servers = 1,
    .server_mb_s = 1e6,
    .total_mb_s = 1e6,
    .node_mb_s = 1e6,
    .data_cached = 1,
    .link_mb_s = 1000,
    .memory_mb_s = 1e6,
    .cpu_speed = 1,
};
static const struct lc_job some_job = {
    .lookups = 100, .misses = 200, .opens = 50, .image_entries = 350};

static double plain_s(const struct lc_machine_model *m, const struct lc_job *job, double ranks)
{
    return lc_model_estimate(m, job, LC_REMEDY_NONE, ranks).worst_s;
}

static void expect_near(double got, double want)
{
    if (fabs(got - want) > 1e-6 * fabs(want))
        fail_msg("%.9g, expected %.9g", got, want);
}

/* 100/1000 + 200/2000 + 50/500 = 0.3 s of the server for each rank. */
static void each_kind_of_request_has_its_rate(void **state)
{
    (void)state;
    expect_near(plain_s(&plain_machine, &some_job, 1), 0.3);
    expect_near(plain_s(&plain_machine, &some_job, 1000), 300);
}

static void a_client_that_caches_asks_once_per_node(void **state)
{
    struct lc_machine_model m = plain_machine;

    (void)state;
    m.names_cached = 1;
    expect_near(plain_s(&m, &some_job, 1000), 1000 * (0.1 + 0.2 / 10));
    m.absent_cached = 1;
    expect_near(plain_s(&m, &some_job, 1000), 30);
}

static void launch_and_latency_and_cpu_add_up_for_one_rank(void **state)
{
    struct lc_machine_model m = plain_machine;
    struct lc_job job = some_job;

    (void)state;
    m.launch_s = 5;
    m.launch_per_node_ms = 100;
    m.meta_latency_us = 1000;
    m.cpu_speed = 2;
    job.cpu_s = 3;
    expect_near(plain_s(&m, &job, 1), 5 + 0.1 + 0.35 + 0.3 + 1.5);
}

static void data_is_read_once_per_node(void **state)
{
    struct lc_machine_model m = plain_machine;
    const struct lc_job job = {.bytes = 1e9};

    (void)state;
    m.total_mb_s = 1000;
    m.node_mb_s = 1e7;
    assert_true(fabs(plain_s(&m, &job, 10000) / 1000 - 1) < 0.01); /* 1,000 nodes x 1 s */
    m.halved_at_nodes = 1000;
    assert_true(fabs(plain_s(&m, &job, 10000) / 2000 - 1) < 0.01);
    m.data_cached = 0;
    assert_true(fabs(plain_s(&m, &job, 10000) / 20000 - 1) < 0.01);
}

static void another_users_stat_waits_behind_all(void **state)
{
    struct lc_estimate e = lc_model_estimate(&plain_machine, &some_job, LC_REMEDY_NONE, 1000);

    (void)state;
    expect_near(e.bystander_s, 1001 * 0.3 / 350);
    expect_near(e.requests_per_s, 350 / 0.3);
    assert_true(e.median_s < e.worst_s && e.median_s > 0.99 * e.worst_s);
}

static void shared_cores_are_a_queue_too(void **state)
{
    struct lc_machine_model m = plain_machine;
    const struct lc_job job = {.cpu_s = 1};

    (void)state;
    m.shared_cores = 2;
    assert_true(fabs(plain_s(&m, &job, 100) / 50 - 1) < 0.02);
    expect_near(lc_model_estimate(&m, &job, LC_REMEDY_FS, 100).start_s, 50);
}

static void loadcast_checks_once_and_asks_no_more(void **state)
{
    struct lc_machine_model m = plain_machine;

    (void)state;
    m.meta_latency_us = 99000;
    for (double ranks = 1; ranks < 1e6; ranks *= 100) {
        struct lc_estimate e = lc_model_estimate(&m, &some_job, LC_REMEDY_MPI, ranks);
        expect_near(e.check_s, 0.8 + 350 * 0.1 / 32); /* far away: 32 questions at once */
        expect_near(e.requests, 351);
    }
}

/* 0.002 s for each open: the last of 100 nodes reads after 0.2 s, and who comes then waits so long.
 */
static void nodes_that_read_the_same_file_open_it_one_after_another(void **state)
{
    static const enum lc_remedy by_all[] = {LC_REMEDY_COPY, LC_REMEDY_SQUASHFS, LC_REMEDY_RANKS,
                                            LC_REMEDY_FS};
    const struct lc_job job = {.image_entries = 1};

    (void)state;
    for (size_t i = 0; i < sizeof(by_all) / sizeof(*by_all); i++) {
        struct lc_estimate e = lc_model_estimate(&plain_machine, &job, by_all[i], 1000);
        expect_near(e.stage_s, 0.2);
        expect_near(e.bystander_s, 0.001 + 0.2);
    }
    struct lc_estimate one = lc_model_estimate(&plain_machine, &job, LC_REMEDY_SBCAST, 1000);
    expect_near(one.bystander_s, 0.001 + 0.002);
}

/* More questions than a server answers at once would be a queue for others. */
static void check_asks_no_faster_than_the_servers_answer(void **state)
{
    struct lc_machine_model m = plain_machine;

    (void)state;
    m.meta_latency_us = 9000;
    expect_near(lc_model_estimate(&m, &some_job, LC_REMEDY_FS, 10).check_s, 0.08 + 350 * 0.001);
    m.meta_servers = 2;
    expect_near(lc_model_estimate(&m, &some_job, LC_REMEDY_FS, 10).check_s, 0.08 + 350 * 0.0005);
}

static void a_step_before_the_ranks_is_a_launch_of_its_own(void **state)
{
    struct lc_machine_model m = plain_machine;
    const struct lc_job job = {.image_entries = 1};

    (void)state;
    m.launch_s = 5;
    m.launch_per_node_ms = 100;
    struct lc_estimate by_ranks = lc_model_estimate(&m, &job, LC_REMEDY_RANKS, 40),
                       by_step = lc_model_estimate(&m, &job, LC_REMEDY_FS, 40),
                       by_mpi = lc_model_estimate(&m, &job, LC_REMEDY_MPI, 40);
    expect_near(by_ranks.launch_s, 5.4);
    assert_true(by_ranks.stage_s < 0.01);
    expect_near(by_step.stage_s - by_ranks.stage_s, 5.4);
    assert_true(by_mpi.stage_s >= 5.4 - by_mpi.check_s);
    m.lookups_per_s = 0.1; /* the step of MPI starts while 'check' asks for twenty seconds */
    assert_true(lc_model_estimate(&m, &job, LC_REMEDY_MPI, 40).stage_s < 0.1);
    expect_near(lc_model_estimate(&m, &job, LC_REMEDY_FS, 40).stage_s, by_step.stage_s);
}

/* A rank needs 0.1 s to start, and one that waits takes a 200th of a core. */
static void on_shared_cores_ranks_that_wait_delay_the_others(void **state)
{
    struct lc_machine_model m = plain_machine;
    const struct lc_job job = {.image_entries = 1};

    (void)state;
    m.launch_s = 1;
    m.launch_rank_cpu_ms = 100;
    m.launch_waiting_cores = 0.005;
    expect_near(plain_s(&m, &job, 100), 1.1); /* each rank has its core */
    m.shared_cores = 2;
    struct lc_estimate e = lc_model_estimate(&m, &job, LC_REMEDY_FS, 200);
    expect_near(e.launch_s, (1 + 10) / (1 - 0.5));
    /* One process on each of 20 nodes; each opens the image. */
    expect_near(e.stage_s, (1 + 1) / (1 - 0.05) + 20 * 0.002);
    assert_true(lc_model_estimate(&m, &job, LC_REMEDY_FS, 1e6).launch_s < 1e7);
}

static void nodes_of_a_test_bed_write_in_turn(void **state)
{
    struct lc_machine_model m = plain_machine;
    const struct lc_job job = {.image_bytes = 1e9};

    (void)state;
    m.memory_mb_s = 1000;
    double alone_s = lc_model_estimate(&m, &job, LC_REMEDY_RANKS, 160).stage_s;
    m.shared_cores = 2;
    expect_near(lc_model_estimate(&m, &job, LC_REMEDY_RANKS, 160).stage_s, alone_s + 7);
}

static void thresholds_are_where_the_condition_first_holds(void **state)
{
    struct lc_machine_model m = plain_machine;
    struct lc_prediction p;
    const long ranks[] = {1, 599, 600};

    (void)state;
    m.launch_s = 0.1;
    lc_predict(&p, &m, &some_job, ranks, 3);
    assert_int_equal(p.timeout_ranks, 600);    /* 0.1 s and 0.3 s per rank */
    assert_int_equal(p.bystander_ranks, 1166); /* (n + 1) * 0.3 / 350 >= 1 */
    assert_true(p.pays_ranks[LC_REMEDY_FS] > 1);
    assert_true(p.width[2].of[LC_REMEDY_NONE].worst_s > 180);
}

/* That it takes less than a second of CPU time is in t1401. */
static void a_million_ranks_are_computed_rank_by_rank(void **state)
{
    struct lc_machine_model m = plain_machine;
    struct lc_job job = some_job;
    struct lc_prediction p;
    const long ranks[] = {1, 1000, 1000000};

    (void)state;
    m.lookups_per_s = m.misses_per_s = m.opens_per_s = 1e7;
    m.meta_latency_us = 100;
    job.cpu_s = 10; /* not saturated before 300,000 ranks */
    lc_predict(&p, &m, &job, ranks, 3);
    assert_true(p.width[2].of[LC_REMEDY_NONE].worst_s > 10);
}

/* The mean error over widths that were not fitted. */
static void curve_expect(const char *machine, const struct lc_job *job, const double (*point)[2],
                         size_t count, double most)
{
    struct lc_machine_model m;
    double sum = 0;

    if (lc_machine_load(&m, machine, NULL) < 0)
        skip();
    for (size_t i = 0; i < count; i++)
        sum += fabs(plain_s(&m, job, point[i][0]) / point[i][1] - 1);
    print_message("# %s: mean error %.1f %%\n", machine, 100 * sum / (double)count);
    assert_true(sum / (double)count <= most);
}

static void published_curves_are_met_where_they_were_not_fitted(void **state)
{
    const struct lc_job sierra = {.misses = 4681, .opens = 495, .bytes = 1.18e9};
    const struct lc_job juropa = {.misses = 4260, .opens = 710, .bytes = 33.6e6};
    const double sierra_points[][2] = {{4608, 249.0}, {5376, 287.6}, {6144, 332.8}};
    const double juropa_points[][2] = {
        {1536, 83.5}, {2048, 110.5}, {3072, 167.7}, {3584, 192.6}, {4096, 219.8}};

    (void)state;
    curve_expect("sierra-lustre", &sierra, sierra_points, 3, 0.20);
    curve_expect("juropa", &juropa, juropa_points, 5, 0.20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_of_request_has_its_rate),
        cmocka_unit_test(a_client_that_caches_asks_once_per_node),
        cmocka_unit_test(launch_and_latency_and_cpu_add_up_for_one_rank),
        cmocka_unit_test(data_is_read_once_per_node),
        cmocka_unit_test(another_users_stat_waits_behind_all),
        cmocka_unit_test(shared_cores_are_a_queue_too),
        cmocka_unit_test(loadcast_checks_once_and_asks_no_more),
        cmocka_unit_test(nodes_that_read_the_same_file_open_it_one_after_another),
        cmocka_unit_test(check_asks_no_faster_than_the_servers_answer),
        cmocka_unit_test(a_step_before_the_ranks_is_a_launch_of_its_own),
        cmocka_unit_test(on_shared_cores_ranks_that_wait_delay_the_others),
        cmocka_unit_test(nodes_of_a_test_bed_write_in_turn),
        cmocka_unit_test(thresholds_are_where_the_condition_first_holds),
        cmocka_unit_test(a_million_ranks_are_computed_rank_by_rank),
        cmocka_unit_test(published_curves_are_met_where_they_were_not_fitted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
