/* SPDX-License-Identifier: MIT */
/* space_test.c - what is left of a memory cgroup, in hierarchies made of plain files */
#include "util/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stage/space.h"

static char root[64];

static void put(const char *path, const char *text)
{
    char full[256];

    snprintf(full, sizeof(full), "%s/%s", root, path);
    for (char *p = full + strlen(root) + 1; (p = strchr(p, '/')); *p++ = '/') {
        *p = '\0';
        mkdir(full, 0700);
    }
    FILE *f = fopen(full, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static int begin(void **state)
{
    (void)state;
    strcpy(root, "/tmp/loadcast-space.XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int end(void **state)
{
    char command[128];

    (void)state;
    snprintf(command, sizeof(command), "rm -rf '%s'", root);
    return system(command);
}

static void no_cgroup_no_limit(void **state)
{
    uint64_t limit;

    (void)state;
    assert_true(lc_space_cgroup(root, &limit) == UINT64_MAX);
    put("proc/self/cgroup", "0::/job\n");
    assert_true(lc_space_cgroup(root, &limit) == UINT64_MAX);
}

static void second_generation(void **state)
{
    uint64_t limit;

    (void)state;
    put("proc/self/cgroup", "0::/slurm/job_4/step_0\n");
    put("proc/self/mountinfo", "31 23 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
    put("sys/fs/cgroup/slurm/job_4/step_0/memory.max", "max\n");
    put("sys/fs/cgroup/slurm/job_4/step_0/memory.current", "500\n");
    assert_true(lc_space_cgroup(root, &limit) == UINT64_MAX);
    /* The limit stands higher up, and cached pages of files do not count as used. */
    put("sys/fs/cgroup/slurm/job_4/memory.max", "1000\n");
    put("sys/fs/cgroup/slurm/job_4/memory.current", "600\n");
    put("sys/fs/cgroup/slurm/job_4/memory.stat", "anon 200\ninactive_file 250\nactive_file 50\n");
    assert_int_equal(lc_space_cgroup(root, &limit), 700);
    assert_int_equal(limit, 1000);
    /* The tightest counts, and more used than allowed is nothing left. */
    put("sys/fs/cgroup/slurm/memory.max", "5000\n");
    put("sys/fs/cgroup/slurm/memory.current", "5100\n");
    assert_int_equal(lc_space_cgroup(root, &limit), 0);
    assert_int_equal(limit, 5000);
}

static void first_generation(void **state)
{
    uint64_t limit;

    (void)state;
    put("proc/self/cgroup", "5:cpu:/x\n4:memory:/slurm/job_4\n0::/\n");
    put("proc/self/mountinfo", "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
                               "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
    put("sys/fs/cgroup/memory/slurm/job_4/memory.limit_in_bytes", "9223372036854771712\n");
    put("sys/fs/cgroup/memory/slurm/job_4/memory.usage_in_bytes", "10\n");
    assert_true(lc_space_cgroup(root, &limit) == UINT64_MAX);
    put("sys/fs/cgroup/memory/slurm/memory.limit_in_bytes", "2000\n");
    put("sys/fs/cgroup/memory/slurm/memory.usage_in_bytes", "1500\n");
    put("sys/fs/cgroup/memory/slurm/memory.stat", "inactive_file 1\ntotal_inactive_file 400\n");
    assert_int_equal(lc_space_cgroup(root, &limit), 900);
}

static void part_of_a_hierarchy(void **state)
{
    uint64_t limit;

    (void)state;
    put("proc/self/cgroup", "0::/docker/abc/sub\n");
    put("proc/self/mountinfo", "31 23 0:28 /docker/abc /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
    put("sys/fs/cgroup/memory.max", "800\n");
    put("sys/fs/cgroup/memory.current", "300\n");
    put("sys/fs/cgroup/sub/memory.max", "max\n");
    assert_int_equal(lc_space_cgroup(root, &limit), 500);
}

static void nonsense_is_no_limit(void **state)
{
    uint64_t limit;

    (void)state;
    put("proc/self/cgroup", "\n:\n::\n0::/a\n");
    put("proc/self/mountinfo", "x\n - cgroup2\n31 23 0:28 / /sys/fs/cgroup rw - cgroup2 c rw\n");
    put("sys/fs/cgroup/a/memory.max", "many\n");
    put("sys/fs/cgroup/a/memory.current", "");
    assert_true(lc_space_cgroup(root, &limit) == UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(no_cgroup_no_limit, begin, end),
        cmocka_unit_test_setup_teardown(second_generation, begin, end),
        cmocka_unit_test_setup_teardown(first_generation, begin, end),
        cmocka_unit_test_setup_teardown(part_of_a_hierarchy, begin, end),
        cmocka_unit_test_setup_teardown(nonsense_is_no_limit, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
