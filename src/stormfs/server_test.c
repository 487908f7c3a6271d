/* SPDX-License-Identifier: MIT */
#include "util/test.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stormfs/server.h"
#include "stormfs/server_state.h"

static struct lc_server private_server(uint64_t servers, uint64_t service_ns, uint64_t bytes_s)
{
    const struct lc_server_model model = {servers, service_ns, bytes_s};
    struct lc_server s;

    assert_int_equal(lc_server_open(&s, NULL, &model, NULL), 0);
    return s;
}

static void one_server_serves_one_after_another(void **state)
{
    struct lc_server s = private_server(1, 100, 0);
    struct lc_server_stats stats;

    (void)state;
    assert_int_equal(lc_server_charge(&s, 1000, LC_CHARGE_SCALED), 1100);
    assert_int_equal(lc_server_charge(&s, 1000, LC_CHARGE_SCALED), 1200);
    assert_int_equal(lc_server_charge(&s, 1150, LC_CHARGE_SCALED), 1300);
    assert_int_equal(lc_server_charge(&s, 5000, LC_CHARGE_SCALED), 5100); /* idle in between */
    lc_server_get_stats(&s, &stats);
    assert_int_equal(stats.requests, 4);
    assert_int_equal(stats.busy_ns, 400);
    assert_int_equal(stats.wait_max_ns, 100);
    assert_true(stats.wait_mean_ns == (0 + 100 + 50 + 0) / 4.0);
    lc_server_close(&s);
}

static void several_servers_share_the_queue(void **state)
{
    struct lc_server s = private_server(3, 100, 0);

    (void)state;
    for (int i = 0; i < 9; i++)
        assert_int_equal(lc_server_charge(&s, 1000, LC_CHARGE_SCALED), 1100 + 100 * (i / 3));
    lc_server_close(&s);
}

static void no_service_time_means_no_wait(void **state)
{
    struct lc_server s = private_server(1, 0, 0);

    (void)state;
    assert_int_equal(lc_server_charge(&s, 7, LC_CHARGE_SCALED), 7);
    assert_int_equal(lc_server_transfer(&s, 7, 1 << 20, LC_CHARGE_SCALED), 7);
    lc_server_close(&s);
}

static void data_has_a_path_of_its_own(void **state)
{
    struct lc_server s = private_server(1, 1000000, 1000000); /* 1 byte per us */
    struct lc_server_stats stats;

    (void)state;
    assert_int_equal(lc_server_transfer(&s, 0, 10, LC_CHARGE_SCALED), 10000);
    assert_int_equal(lc_server_transfer(&s, 0, 5, LC_CHARGE_SCALED), 15000);
    assert_int_equal(lc_server_charge(&s, 0, LC_CHARGE_SCALED), 1000000);
    lc_server_get_stats(&s, &stats);
    assert_int_equal(stats.data_busy_ns, 15000);
    lc_server_reset_stats(&s);
    lc_server_get_stats(&s, &stats);
    assert_int_equal(stats.data_busy_ns + stats.busy_ns + stats.requests, 0);
    lc_server_close(&s);
}

static void readers_at_once_share_less(void **state)
{
    const struct lc_server_model model = {1, 0, 1000000, 2}; /* 1 byte per us; 2 readers: half */
    struct lc_server s;

    (void)state;
    assert_int_equal(lc_server_open(&s, NULL, &model, NULL), 0);
    assert_int_equal(lc_server_transfer(&s, 0, 10, LC_CHARGE_SCALED),
                     15000); /* 1 reader: 1.5 times */
    assert_int_equal(lc_server_transfer(&s, 0, 10, LC_CHARGE_SCALED),
                     15000 + 20000); /* 2 readers: twice */
    lc_server_transfer_end(&s, LC_CHARGE_SCALED);
    lc_server_transfer_end(&s, LC_CHARGE_SCALED);
    assert_int_equal(lc_server_transfer(&s, 100000, 10, LC_CHARGE_SCALED), 115000);
    lc_server_close(&s);
}

static void a_process_that_exists_once_is_charged_for_one_task(void **state)
{
    const struct lc_server_model model = {1, 6400, 1000000, 2, .scale = 64}; /* scaled by 64 */
    struct lc_server s;
    struct lc_server_stats stats;

    (void)state;
    assert_int_equal(lc_server_open(&s, NULL, &model, NULL), 0);
    assert_int_equal(lc_server_charge(&s, 0, LC_CHARGE_SCALED), 6400);
    assert_int_equal(lc_server_charge(&s, 0, LC_CHARGE_ONCE), 6500);
    /* It reads at 64 times the bandwidth, and slows others by a 64th of what a process does. */
    assert_int_equal(lc_server_transfer(&s, 0, 128, LC_CHARGE_ONCE), 2016);
    assert_int_equal(lc_server_transfer(&s, 2016, 64, LC_CHARGE_SCALED), 2016 + 64000 + 32500);
    lc_server_transfer_end(&s, LC_CHARGE_ONCE);
    lc_server_transfer_end(&s, LC_CHARGE_SCALED);
    assert_int_equal(s.state->reading_tasks, 0);
    lc_server_get_stats(&s, &stats);
    assert_int_equal(stats.requests, 2);
    assert_int_equal(stats.busy_ns, 6500);
    assert_int_equal(stats.once_requests, 1);
    assert_int_equal(stats.once_busy_ns, 100);
    assert_int_equal(stats.once_data_busy_ns, 2016);
    lc_server_close(&s);
}

static void *charge_many(void *arg)
{
    for (int i = 0; i < 10000; i++)
        lc_server_charge(arg, 0, LC_CHARGE_SCALED);
    return NULL;
}

static void no_request_is_lost_between_threads(void **state)
{
    struct lc_server s = private_server(1, 10, 0);
    pthread_t thread[4];

    (void)state;
    for (int i = 0; i < 4; i++)
        pthread_create(&thread[i], NULL, charge_many, &s);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    assert_int_equal(lc_server_charge(&s, 0, LC_CHARGE_SCALED), 40001 * 10);
    lc_server_close(&s);
}

static void freezing_is_seen_and_undone(void **state)
{
    struct lc_server s = private_server(1, 0, 0);

    (void)state;
    assert_false(lc_server_is_frozen(&s));
    lc_server_freeze(&s);
    assert_true(lc_server_is_frozen(&s));
    lc_server_thaw(&s);
    lc_server_wait_thaw(&s); /* returns at once */
    assert_false(lc_server_is_frozen(&s));
    lc_server_close(&s);
}

static char name[64];

static int use_a_directory_of_our_own(void **state)
{
    static char dir[] = "/tmp/loadcast-unit.XXXXXX";

    *state = mkdtemp(dir);
    snprintf(name, sizeof(name), "%s/server", dir);
    return *state ? 0 : -1;
}

static int remove_it(void **state)
{
    unlink(name);
    return rmdir(*state);
}

static void processes_share_a_named_server(void **state)
{
    const struct lc_server_model model = {1, 100, 0};
    struct lc_server a, b;

    (void)state;
    assert_int_equal(lc_server_open(&a, name, &model, NULL), 0);
    assert_int_equal(lc_server_charge(&a, 0, LC_CHARGE_SCALED), 100);
    pid_t pid = fork();
    if (pid == 0) {
        if (lc_server_open(&b, name, &model, NULL) < 0)
            _exit(1);
        _exit(lc_server_charge(&b, 0, LC_CHARGE_SCALED) == 200 ? 0 : 2);
    }
    int status;
    waitpid(pid, &status, 0);
    assert_int_equal(status, 0);
    assert_int_equal(lc_server_charge(&a, 0, LC_CHARGE_SCALED), 300);
    lc_server_close(&a);
    assert_int_equal(access(name, F_OK), -1); /* the last one removes it */
}

static void another_model_is_refused(void **state)
{
    const struct lc_server_model model = {1, 100, 0}, other = {1, 200, 0};
    struct lc_server a, b;
    struct lc_error err;

    (void)state;
    assert_int_equal(lc_server_open(&a, name, &model, NULL), 0);
    assert_int_equal(lc_server_open(&b, name, &other, &err), -1);
    assert_non_null(strstr(err.text, "already runs with other values"));
    assert_int_equal(access(name, F_OK), 0);
    lc_server_close(&a);
}

static void what_a_crash_left_is_started_anew(void **state)
{
    const struct lc_server_model model = {1, 100, 0}, other = {1, 200, 0};
    struct lc_server a;

    (void)state;
    if (fork() == 0) {
        lc_server_open(&a, name, &model, NULL);
        lc_server_freeze(&a);
        _exit(0); /* without closing */
    }
    wait(NULL);
    assert_int_equal(access(name, F_OK), 0);
    assert_int_equal(lc_server_open(&a, name, &other, NULL), 0);
    assert_false(lc_server_is_frozen(&a));
    assert_int_equal(lc_server_charge(&a, 0, LC_CHARGE_SCALED), 200);
    lc_server_close(&a);
}

static void a_file_that_others_can_write_is_refused(void **state)
{
    const struct lc_server_model model = {1, 100, 0};
    struct lc_server a;
    struct lc_error err;
    FILE *f = fopen(name, "w");

    (void)state;
    fclose(f);
    chmod(name, 0666);
    assert_int_equal(lc_server_open(&a, name, &model, &err), -1);
    assert_non_null(strstr(err.text, "not a private file"));
    unlink(name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_server_serves_one_after_another),
        cmocka_unit_test(several_servers_share_the_queue),
        cmocka_unit_test(no_service_time_means_no_wait),
        cmocka_unit_test(data_has_a_path_of_its_own),
        cmocka_unit_test(readers_at_once_share_less),
        cmocka_unit_test(a_process_that_exists_once_is_charged_for_one_task),
        cmocka_unit_test(no_request_is_lost_between_threads),
        cmocka_unit_test(freezing_is_seen_and_undone),
        cmocka_unit_test(processes_share_a_named_server),
        cmocka_unit_test(another_model_is_refused),
        cmocka_unit_test(what_a_crash_left_is_started_anew),
        cmocka_unit_test(a_file_that_others_can_write_is_refused),
    };

    return cmocka_run_group_tests(tests, use_a_directory_of_our_own, remove_it);
}
