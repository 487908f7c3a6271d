/* SPDX-License-Identifier: MIT */
/* node_reports_test.c - of how many nodes the miss logs are taken, and which of them have the image
 */
#include "launch/node_reports.h"

#include <stdio.h>
#include <stdlib.h>

#include "stage/misses.h"
#include "util/test.h"

enum { NODES = 3 * LC_MISS_NODES };

/* Each node says what one path was asked for, then when it was staged. */
static void line_take(struct lc_node_reports *reports, int node, const char *what)
{
    char line[256];

    snprintf(line, sizeof(line), "@loadcast {\"host\":\"n%d\", %s}", node, what);
    lc_node_reports_take(reports, line);
}

static void test_most_nodes(void **state)
{
    struct lc_job_staging staging = {0};
    struct lc_misses misses = {0};
    struct lc_node_reports reports = {.staging = &staging,
                                      .nodes = json_array(),
                                      .passed = json_array(),
                                      .misses = &misses,
                                      .sampled = json_object()};
    char what[128];

    (void)state;
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < NODES; i++) {
            snprintf(what, sizeof(what), "\"miss\":\"/sw/%d.%d\", \"kinds\":%u", i, round,
                     1u << LC_MISS_STAT);
            line_take(&reports, i, what);
        }
    for (int i = 0; i < NODES; i++)
        line_take(&reports, i, "\"miss_began\":5, \"lost\":1, \"lost_writes\":0");
    assert_int_equal(misses.paths.count, 2 * LC_MISS_NODES);
    assert_int_equal(misses.lost, LC_MISS_NODES);
    assert_int_equal(json_array_size(reports.nodes), 0);
    lc_misses_free(&misses);
    json_decref(reports.nodes);
    json_decref(reports.passed);
    json_decref(reports.sampled);
}

/* What a node has counts only if it is the image that was checked, and as much of it. */
static void test_other_image(void **state)
{
    struct lc_job_staging staging = {.id = 0x1234};
    struct lc_staging_report sum = {.nodes = json_array()};
    struct lc_node_reports reports = {.staging = &staging, .nodes = sum.nodes};
    static const char *const nodes[] = {"0000000000001234", "0000000000001235",
                                        "0000000000001234.libs", "0000000000001234"};
    char what[128];

    (void)state;
    for (int i = 0; i < 4; i++) {
        snprintf(what, sizeof(what),
                 "\"ok\":true, \"fresh\":true, \"node\":\"/dev/shm/loadcast-0%s/%s\"",
                 i == 3 ? ".2" : "", nodes[i]);
        line_take(&reports, i, what);
    }
    lc_staging_report_sum(&sum);
    lc_staging_report_name_node(&sum);
    assert_int_equal(sum.ok, 2);
    assert_int_equal(sum.failed, 2);
    assert_int_equal(sum.fresh, 2);
    assert_true(sum.differs); /* of those that have it, one has it elsewhere */
    assert_string_equal(json_string_value(json_object_get(json_array_get(sum.nodes, 1), "error")),
                        "it has another image: '/dev/shm/loadcast-0/0000000000001235'");
    lc_staging_report_free(&sum);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_most_nodes),
                                       cmocka_unit_test(test_other_image)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
