/* SPDX-License-Identifier: MIT */
#include "util/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "predict/machine.h"

static const char least[] = "nodes: 10\nranks_per_node: 4\n"
                            "metadata:\n  lookups_per_s: 100\n  misses_per_s: 200\n"
                            "  opens_per_s: 50\n"
                            "data:\n  server_mb_s: 10\n  total_mb_s: 10\n"
                            "network:\n  link_mb_s: 100\n";

static void defaults_fill_what_is_absent(void **state)
{
    struct lc_machine_model m;

    (void)state;
    assert_int_equal(lc_machine_parse(&m, "least.yaml", least, NULL), 0);
    assert_true(m.nodes == 10 && m.misses_per_s == 200 && m.meta_servers == 1);
    assert_true(m.cpu_speed == 1 && m.data_cached == 1 && m.names_cached == 0);
    assert_string_equal(m.name, "least.yaml");
}

static void refused(const char *text, const char *why)
{
    struct lc_machine_model m;
    struct lc_error err = {""};

    assert_int_equal(lc_machine_parse(&m, "f", text, &err), -1);
    if (!strstr(err.text, why))
        fail_msg("'%s' is not in '%s'", why, err.text);
}

static void complaints_have_line_column_and_range(void **state)
{
    (void)state;
    refused("nodes: 0\n", "f:1:8: 'nodes': 0 is outside 1 to 10000000");
    refused("nodes: many\n", "f:1:8: 'nodes': 'many' is not a number (1 to 10000000)");
    refused("nodes: 1.5\n", "f:1:8: 'nodes': 1.5 is not a whole number");
    refused("nodes: 2\nnods: 3\n", "f:2:1: unknown key 'nods'; did you mean 'nodes'?");
    refused("metadata:\n  openings: 3\n", "f:2:3: unknown key 'openings'");
    refused("metadata:\n  servers: [1]\n", "f:2:12: 'servers' takes one value");
    refused("metadata: 7\n", "f:1:11: 'metadata' is a section");
    refused("nodes: {a: b}\n", "f:1:8: 'nodes' takes one value");
    refused("nodes: 2\nnodes: 3\n", "f:2:8: 'nodes' is given twice, first in line 1");
    refused("network:\n  topology: star\n", "'star' is none of flat, fat-tree, dragonfly, torus");
    refused("client:\n  names_cached: maybe\n", "f:2:17: 'client.names_cached': 'maybe'");
    refused("- a\n", "f:1:1:");
    refused("nodes\n", "f:1:1: no machine");
    refused("", "the machine file is empty");
    refused("nodes: [\n", "f:1:8:");
    refused("nodes: 2\n\tx: 1\n", "f:2:");
    refused("- a\n", "f:1:1: no machine");
    refused("? [a]\n: b\n", "f:1:3: expected a key such as 'nodes'");
    refused("{{a: b}: c}\n", "f:1:2: expected a key such as 'nodes'");
    refused("nodes: \"10\\0abc\"\n", "f:1:8: a control character");
    refused("name: \"\\e[31m\"\n", "f:1:7: a control character");
    refused("name: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n",
            "f:1:7: 'name': the text has 64 bytes (0 to 63)");
    refused("nodes: 4\n", "f: 'ranks_per_node' is missing (1 to 100000)");
}

static void totals_beyond_the_servers_are_impossible(void **state)
{
    char text[1000];

    (void)state;
    snprintf(text, sizeof(text), "%s", least);
    memcpy(strstr(text, "total_mb_s: 10"), "total_mb_s: 11", 14);
    refused(text, "f:9:15: 'data.total_mb_s': 11 is outside 0.1 to 10");
}

/* Another document would be a machine of which nothing is used. */
static void a_second_document_is_refused(void **state)
{
    char text[1000];

    (void)state;
    snprintf(text, sizeof(text), "%s---\nnodes: 0\n", least);
    refused(text, "f:12:1: one file is one machine");
}

static void every_preset_says_what_it_rests_on(void **state)
{
    (void)state;
    for (const char *const *name = lc_machine_presets(); *name; name++) {
        struct lc_machine_model m;
        struct lc_error err = {""};
        if (lc_machine_load(&m, *name, &err) < 0)
            fail_msg("%s", err.text);
        assert_string_equal(m.name, *name);
        assert_true(m.about.source[0] && m.about.fitted[0] && m.about.assumed[0] &&
                    m.about.error[0]);
    }
}

static void what_is_written_is_read_back(void **state)
{
    struct lc_machine_model m, again;
    char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);

    (void)state;
    assert_int_equal(lc_machine_load(&m, "sierra-lustre", NULL), 0);
    memset(m.about.error, 0, sizeof(m.about.error));
    snprintf(m.about.error, sizeof(m.about.error), "quotes \" and \\ and: colons # too");
    lc_machine_write(&m, out);
    fclose(out);
    assert_int_equal(lc_machine_parse(&again, "x", text, NULL), 0);
    assert_memory_equal(&m, &again, sizeof(m));
    free(text);
}

static void bandwidth_halves_where_the_file_says(void **state)
{
    struct lc_machine_model m = {.total_mb_s = 100, .halved_at_nodes = 50};

    (void)state;
    assert_true(lc_machine_bytes_s(&m, 50) == 50e6);
    assert_true(lc_machine_bytes_s(&m, 150) == 25e6);
    m.halved_at_nodes = 0;
    assert_true(lc_machine_bytes_s(&m, 1e6) == 100e6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_fill_what_is_absent),
        cmocka_unit_test(complaints_have_line_column_and_range),
        cmocka_unit_test(totals_beyond_the_servers_are_impossible),
        cmocka_unit_test(a_second_document_is_refused),
        cmocka_unit_test(every_preset_says_what_it_rests_on),
        cmocka_unit_test(what_is_written_is_read_back),
        cmocka_unit_test(bandwidth_halves_where_the_file_says),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
