/* SPDX-License-Identifier: MIT */
/* facts_test.c - facts are kept, and a store that cannot be used is no fault */
#include "store/facts.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/test.h"

static char top[] = "/tmp/loadcast-facts-XXXXXX";
static char store[64];

static int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(top))
        return -1;
    snprintf(store, sizeof(store), "%s/above/store", top);
    return setenv("LOADCAST_STORE", store, 1);
}

static int tear_down(void **state)
{
    char command[128];

    (void)state;
    snprintf(command, sizeof(command), "rm -rf %s", top);
    return system(command);
}

static void test_is_kept(void **state)
{
    char text[16];

    (void)state;
    assert_false(lc_store_fact_read("step.srun", text, sizeof(text)));
    lc_store_fact_write("step.srun", "0.25");
    assert_true(lc_store_fact_read("step.srun", text, sizeof(text)));
    assert_string_equal(text, "0.25");
    lc_store_fact_write("step.srun", "0.5\n");
    assert_true(lc_store_fact_read("step.srun", text, sizeof(text)));
    assert_string_equal(text, "0.5");
}

static void test_does_not_fit(void **state)
{
    char text[4];

    (void)state;
    lc_store_fact_write("long", "12345678");
    assert_false(lc_store_fact_read("long", text, sizeof(text)));
}

static void test_bad_names(void **state)
{
    static const char *const names[] = {"", "../x", "A", "a b", "a/b"};
    char text[16];

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        lc_store_fact_write(names[i], "1");
        assert_false(lc_store_fact_read(names[i], text, sizeof(text)));
    }
}

/* A directory that others may enter, and a link, are not used. */
static void test_not_private(void **state)
{
    char text[16], link[80];

    (void)state;
    lc_store_fact_write("known", "1");
    chmod(store, 0755);
    assert_false(lc_store_fact_read("known", text, sizeof(text)));
    chmod(store, 0700);
    assert_true(lc_store_fact_read("known", text, sizeof(text)));
    snprintf(link, sizeof(link), "%s/link", top);
    assert_int_equal(symlink(store, link), 0);
    setenv("LOADCAST_STORE", link, 1);
    assert_false(lc_store_fact_read("known", text, sizeof(text)));
    setenv("LOADCAST_STORE", "/proc/loadcast", 1);
    lc_store_fact_write("known", "2");
    assert_false(lc_store_fact_read("known", text, sizeof(text)));
    setenv("LOADCAST_STORE", store, 1);
}

/* What stands under a fact's name may be anything. */
static void test_damaged(void **state)
{
    char text[16], file[80];

    (void)state;
    snprintf(file, sizeof(file), "%s/fact.pipe", store);
    assert_int_equal(mkfifo(file, 0600), 0);
    assert_false(lc_store_fact_read("pipe", text, sizeof(text)));
    snprintf(file, sizeof(file), "%s/fact.dir", store);
    assert_int_equal(mkdir(file, 0700), 0);
    assert_false(lc_store_fact_read("dir", text, sizeof(text)));
    lc_store_fact_write("dir", "1");
    lc_store_fact_write("empty", "");
    assert_false(lc_store_fact_read("empty", text, sizeof(text)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_is_kept),   cmocka_unit_test(test_does_not_fit),
        cmocka_unit_test(test_bad_names), cmocka_unit_test(test_not_private),
        cmocka_unit_test(test_damaged),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
