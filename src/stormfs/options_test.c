/* SPDX-License-Identifier: MIT */
#include "util/test.h"

#include <string.h>

#include "stormfs/options.h"

static struct lc_options o;
static struct lc_error err;

static int words_parse(const char *const *words)
{
    static char *argv[80];
    int argc = 0;

    argv[argc++] = "stormfs";
    while (*words)
        argv[argc++] = (char *)*words++;
    argv[argc] = NULL;
    return lc_options_parse(&o, argc, argv, &err);
}
#define PARSE(...) words_parse((const char *const[]){__VA_ARGS__, NULL})

static void without_options_nothing_is_slow(void **state)
{
    (void)state;
    assert_int_equal(PARSE("src", "a", "b"), 0);
    assert_string_equal(o.source, "src");
    assert_int_equal(o.mounts, 2);
    assert_string_equal(o.mount[1], "b");
    assert_true(o.profile.service_us == 0 && o.profile.bandwidth_mb_s == 0);
    assert_false(o.rw);
}

static void options_change_a_profile_wherever_it_stands(void **state)
{
    (void)state;
    assert_int_equal(PARSE("--latency-us", "7", "src", "--profile", "nfs", "m"), 0);
    assert_string_equal(o.profile.name, "nfs");
    assert_true(o.profile.service_us == 92);
    assert_true(o.profile.latency_us == 7);
    assert_true(o.profile.attr_cache_s == 1 && o.profile.dir_cache_s == 30);
}

static void cache_s_speaks_for_its_companions(void **state)
{
    (void)state;
    assert_int_equal(PARSE("--profile", "nfs", "--cache-s", "0", "src", "m"), 0);
    assert_true(o.profile.attr_cache_s == 0 && o.profile.dir_cache_s == 0);
    assert_int_equal(PARSE("--cache-s", "5", "--dir-cache-s", "0", "src", "m"), 0);
    assert_true(o.profile.attr_cache_s == 5 && o.profile.dir_cache_s == 0);
}

static void scale_makes_the_server_slower(void **state)
{
    (void)state;
    assert_int_equal(PARSE("--profile", "lustre", "--scale", "100", "src", "m"), 0);
    assert_int_equal(lc_options_server_model(&o).service_ns, 950000);
    assert_int_equal(lc_options_server_model(&o).bandwidth_bytes_s, 100000000);
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    assert_int_equal(PARSE("src"), -1);
    assert_int_equal(PARSE("--servers", "0", "src", "m"), -1);
    assert_int_equal(PARSE("--servers", "65", "src", "m"), -1);
    assert_int_equal(PARSE("--service-us", "-1", "src", "m"), -1);
    assert_int_equal(PARSE("--service-us", "ten", "src", "m"), -1);
    assert_int_equal(PARSE("--service-us", "nan", "src", "m"), -1);
    assert_int_equal(PARSE("--latency-us", "1e99", "src", "m"), -1);
    assert_int_equal(PARSE("--cache-s", "", "src", "m"), -1);
    assert_int_equal(PARSE("--bandwidth", "-5", "src", "m"), -1);
    assert_int_equal(PARSE("--profile", "gpfs", "src", "m"), -1);
    assert_int_equal(PARSE("--server", "", "src", "m"), -1);
}

static void too_many_mounts_are_refused(void **state)
{
    const char *words[LC_MOST_MOUNTS + 3] = {"src"};

    (void)state;
    for (int i = 1; i <= LC_MOST_MOUNTS + 1; i++)
        words[i] = "m";
    assert_int_equal(words_parse(words), -1);
    assert_non_null(strstr(err.text, "too many"));
    words[LC_MOST_MOUNTS + 1] = NULL;
    assert_int_equal(words_parse(words), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_options_nothing_is_slow),
        cmocka_unit_test(options_change_a_profile_wherever_it_stands),
        cmocka_unit_test(cache_s_speaks_for_its_companions),
        cmocka_unit_test(scale_makes_the_server_slower),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(too_many_mounts_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
