/* SPDX-License-Identifier: MIT */
/* profiles_test.c - the profiles are frozen: doc/stormfs-profiles.md. If this test fails, the
 * profiles are wrong, not the test: figures of other versions could no longer be compared. */
#include "util/test.h"

#include <math.h>

#include "stormfs/profiles.h"

static void profile_expect(const char *name, const double want[8])
{
    const struct lc_profile *p = lc_profile_find(name);

    assert_non_null(p);
    assert_string_equal(p->name, name);
    assert_int_equal(p->servers, (long)want[0]);
    assert_true(p->service_us == want[1]);
    assert_true(p->latency_us == want[2]);
    assert_true(p->bandwidth_mb_s == want[3]);
    assert_true(p->cache_s == want[4]);
    assert_true(p->attr_cache_s == want[5]);
    assert_true(p->dir_cache_s == want[6]);
    assert_true(p->negative_cache_s == want[7]);
}

static void profiles_are_as_documented(void **state)
{
    (void)state;
    profile_expect("none", (double[]){1, 0, 0, 0, 1, 1, 1, 0});
    profile_expect("local", (double[]){1, 0, 80, 2000, 3600, 3600, 3600, 3600});
    profile_expect("nfs", (double[]){1, 92, 200, 1000, 0, 1, 30, 0});
    profile_expect("lustre", (double[]){1, 9.5, 100, 10000, 0, 1, 30, 0});
    assert_null(lc_profile_find("gpfs"));
}

/* The derivation, from the published figures: Lustre's rests on Sierra; on JUROPA, whose calls were
 * not published, it takes 8 per library. */
static void service_times_follow_from_the_measurements(void **state)
{
    const double calls_per_task = 5671;
    double juropa_us = 219.8e6 / (4096 * 8 * 710.0);
    double sierra_us = 332.8e6 / (6144 * calls_per_task);
    double nfs_us = 606.54e6 / (0.05 * 23328 * calls_per_task);

    (void)state;
    assert_true(fabs(sierra_us - lc_profile_find("lustre")->service_us) < 0.06);
    assert_true(fabs(juropa_us / sierra_us - 1) < 0.02);
    assert_true(fabs(nfs_us - lc_profile_find("nfs")->service_us) < 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(profiles_are_as_documented),
        cmocka_unit_test(service_times_follow_from_the_measurements),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
