/* SPDX-License-Identifier: MIT */
#include "util/test.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "trace/searchpath.h"
#include "trace/summary.h"

static void event_add(struct lc_summary *sum, enum lc_trace_kind kind, const char *path,
                      long result)
{
    lc_summary_add(sum, &(struct lc_trace_event){.tid = 1,
                                                 .pid = 1,
                                                 .call = "x",
                                                 .kind = kind,
                                                 .path = path,
                                                 .given = path,
                                                 .result = result,
                                                 .bytes = kind == LC_TRACE_READ ? 10 : 0});
}

static void adds_up_by_kind_and_keeps_kernel_mounts_apart(void **state)
{
    struct lc_summary sum = {0};

    (void)state;
    assert_int_equal(lc_summary_begin(&sum), 0);
    event_add(&sum, LC_TRACE_OPEN, "/a/x", 3);
    event_add(&sum, LC_TRACE_OPEN, "/a/x", 3);
    event_add(&sum, LC_TRACE_STAT, "/a/y", -ENOENT);
    event_add(&sum, LC_TRACE_READ, "/a/x", 10);
    event_add(&sum, LC_TRACE_OPEN, "/proc/self/x", 3);
    event_add(&sum, LC_TRACE_READ, "pipe:[1]", 10);
    struct lc_totals t = lc_summary_totals(&sum);
    assert_int_equal(t.kind[LC_TRACE_OPEN].ok, 2);
    assert_int_equal(t.metadata.failed, 1);
    assert_int_equal(t.data.ok, 1);
    assert_int_equal(t.bytes_read, 10);
    assert_int_equal(sum.files.count, 1);
    lc_summary_end(&sum);
}

static void mapping_add(struct lc_summary *sum, const char *path, pid_t pid, uint64_t bytes)
{
    lc_summary_add(sum, &(struct lc_trace_event){.tid = pid,
                                                 .pid = pid,
                                                 .call = "mmap",
                                                 .kind = LC_TRACE_MMAP,
                                                 .path = path,
                                                 .bytes = bytes});
}

/* ld.so maps a library whole, then its parts over it; so does the next process. */
static void a_file_has_its_size_once(void **state)
{
    struct lc_summary sum = {0};

    (void)state;
    assert_int_equal(lc_summary_begin(&sum), 0);
    for (pid_t pid = 1; pid < 4; pid++) {
        event_add(&sum, LC_TRACE_OPEN, "/a/lib.so", 3);
        event_add(&sum, LC_TRACE_READ, "/a/lib.so", 10); /* its header */
        mapping_add(&sum, "/a/lib.so", pid, 100000);
        mapping_add(&sum, "/a/lib.so", pid, 60000);
    }
    event_add(&sum, LC_TRACE_OPEN, "/a/text", 3);
    event_add(&sum, LC_TRACE_READ, "/a/text", 10);
    event_add(&sum, LC_TRACE_READ, "/a/text", 10);
    mapping_add(&sum, "/a/inherited", 1, 5000); /* not opened here: not among the files */
    struct lc_totals t = lc_summary_totals(&sum);
    assert_int_equal(t.bytes_mapped, 3 * 160000 + 5000);
    assert_int_equal(t.bytes_of_files, 100000 + 20);
    lc_summary_end(&sum);
}

static void finds_the_worst_directories_in_order(void **state)
{
    struct lc_summary sum = {0};
    size_t index[3];
    char path[32];

    (void)state;
    lc_summary_begin(&sum);
    for (int d = 0; d < 8; d++)
        for (int i = 0; i < (d * 5) % 8; i++) {
            snprintf(path, sizeof(path), "/d%d/name%d", d, i);
            event_add(&sum, LC_TRACE_STAT, path, -ENOENT);
        }
    assert_int_equal(lc_summary_worst_dirs(&sum, index, 3), 3);
    assert_string_equal(sum.dirs.entry[index[0]].key, "/d3"); /* 7 */
    assert_string_equal(sum.dirs.entry[index[1]].key, "/d6"); /* 6 */
    assert_string_equal(sum.dirs.entry[index[2]].key, "/d1"); /* 5 */
    lc_summary_end(&sum);
}

static void counts_hardware_levels_with_their_directory(void **state)
{
    struct lc_summary sum = {0};

    (void)state;
    lc_summary_begin(&sum);
    event_add(&sum, LC_TRACE_STAT, "/l/tls", -ENOENT);
    event_add(&sum, LC_TRACE_OPEN, "/l/glibc-hwcaps/x86-64-v3/libf.so", -ENOENT);
    event_add(&sum, LC_TRACE_OPEN, "/l/tls/haswell/x86_64/libf.so", -ENOENT);
    assert_int_equal(sum.dirs.count, 1);
    const struct lc_dir_sum *dir = lc_map_get(&sum.dirs, "/l");
    assert_int_equal(dir->failed, 3);
    assert_string_equal(dir->example, "libf.so");
    lc_summary_end(&sum);
}

static void cuts_levels_but_not_a_plain_machine_name(void **state)
{
    char a[] = "/l/x86_64", b[] = "/l/x86_64", c[] = "/l/haswell/x86_64", d[] = "/tls";

    (void)state;
    lc_searchpath_cut_levels(a, false);
    assert_string_equal(a, "/l/x86_64");
    lc_searchpath_cut_levels(b, true);
    assert_string_equal(b, "/l");
    lc_searchpath_cut_levels(c, false);
    assert_string_equal(c, "/l");
    lc_searchpath_cut_levels(d, true);
    assert_string_equal(d, "/tls");
}

static void counts_only_below_the_chosen_tree(void **state)
{
    struct lc_summary sum = {.under = {"/a", "/b"}};

    (void)state;
    lc_summary_begin(&sum);
    event_add(&sum, LC_TRACE_STAT, "/a/x", 0);
    event_add(&sum, LC_TRACE_STAT, "/a/../c/x", 0);
    event_add(&sum, LC_TRACE_STAT, "/b", 0);
    event_add(&sum, LC_TRACE_STAT, "/ab", 0);
    assert_int_equal(lc_summary_totals(&sum).metadata.ok, 2);
    lc_summary_end(&sum);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adds_up_by_kind_and_keeps_kernel_mounts_apart),
        cmocka_unit_test(a_file_has_its_size_once),
        cmocka_unit_test(finds_the_worst_directories_in_order),
        cmocka_unit_test(counts_hardware_levels_with_their_directory),
        cmocka_unit_test(cuts_levels_but_not_a_plain_machine_name),
        cmocka_unit_test(counts_only_below_the_chosen_tree),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
