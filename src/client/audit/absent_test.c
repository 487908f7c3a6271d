/* SPDX-License-Identifier: MIT */
/* absent_test.c - when ld.so is told that a library is nowhere, and how that is undone */
#include "util/test.h"

#include <string.h>

#include "client/audit/absent.h"

static struct lc_node node;

static void begin(struct lc_absent *a, const char *audit, bool is_debugged)
{
    memset(a, 0, sizeof(*a));
    strcpy(node.files, "/dev/shm/n/files");
    node.files_len = strlen(node.files);
    lc_absent_begin(a, audit, "/dev/shm/n", is_debugged);
    a->is_started = true;
}

static const char *answer(struct lc_absent *a, const char *name)
{
    const char *path = lc_absent_answer(a, &node, name);

    return path ? path : "-";
}

static void the_name_comes_back_out_of_the_text(void **state)
{
    static const char *const names[] = {"libx.so", "/a/b/libx.so", "a b: c"};
    struct lc_absent a;

    (void)state;
    begin(&a, "/dev/shm/n/bin/audit.so", false);
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(lc_node_nowhere_name(&node, answer(&a, names[i])), names[i]);
    assert_string_equal(answer(&a, "libx.so"), "/dev/shm/n/none/libx.so");
    assert_null(lc_node_nowhere_name(&node, "/dev/shm/n/files/libx.so: is no library"));
    assert_null(lc_node_nowhere_name(&node, "libx.so: cannot open"));
}

static void not_for_an_auditor_behind_ours_nor_under_debug_nor_at_the_start(void **state)
{
    struct lc_absent a;

    (void)state;
    begin(&a, "/dev/shm/n/bin/audit.so:/other.so", false);
    assert_string_equal(answer(&a, "libx.so"), "-");
    begin(&a, "/other.so:/dev/shm/n/bin/audit.so", false);
    assert_string_not_equal(answer(&a, "libx.so"), "-");
    begin(&a, "/dev/shm/n/bin/audit.so", true);
    assert_string_equal(answer(&a, "libx.so"), "-");
    begin(&a, "/dev/shm/n/bin/audit.so", false);
    a.is_started = false;
    assert_string_equal(answer(&a, "libx.so"), "-");
}

static void names_that_fail_for_another_reason_are_left(void **state)
{
    char name[5000];
    struct lc_absent a;

    (void)state;
    begin(&a, "/dev/shm/n/bin/audit.so", false);
    assert_string_equal(answer(&a, "$ORIGIN/libx.so"), "-");
    memset(name, 'x', sizeof(name));
    name[256] = '\0'; /* one more than a name may have */
    assert_string_equal(answer(&a, name), "-");
    name[255] = '\0';
    assert_string_not_equal(answer(&a, name), "-");
    memset(name, '/', sizeof(name));
    name[4090] = '\0'; /* with NODE/none/ more than a path may have */
    assert_string_equal(answer(&a, name), "-");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_name_comes_back_out_of_the_text),
        cmocka_unit_test(not_for_an_auditor_behind_ours_nor_under_debug_nor_at_the_start),
        cmocka_unit_test(names_that_fail_for_another_reason_are_left),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
