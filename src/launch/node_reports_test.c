/* SPDX-License-Identifier: MIT */
/* node_reports_test.c - of how many nodes the miss logs are taken */
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_most_nodes)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
