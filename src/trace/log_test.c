/* SPDX-License-Identifier: MIT */
#include "util/test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/log.h"

static struct lc_trace_event seen;
static char path[64], given[64], real[64], second[64];
static int count;

/* Copy the event: the reader's strings are valid during the call only. */
static void event_keep(void *arg, const struct lc_trace_event *e)
{
    (void)arg;
    seen = *e;
    count++;
    snprintf(path, sizeof(path), "%s", e->path);
    snprintf(given, sizeof(given), "%s", e->given ? e->given : "(none)");
    snprintf(real, sizeof(real), "%s", e->real ? e->real : "(none)");
    snprintf(second, sizeof(second), "%s", e->second ? e->second : "(none)");
}

static int read_text(const char *text, struct lc_error *err)
{
    FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
    int rc;

    count = 0;
    rc = lc_trace_log_read(in, "x", event_keep, NULL, err);
    fclose(in);
    return rc;
}

static void reads_back_what_it_wrote(void **state)
{
    char *argv[] = {"a\tb", NULL}, *text = NULL;
    size_t len;
    struct lc_error err;
    struct lc_trace_event e = {.tid = 7,
                               .pid = 5,
                               .call = "openat",
                               .kind = LC_TRACE_OPEN,
                               .path = "/a\n\xff\\",
                               .given = "rel",
                               .real = "/real",
                               .result = -ENOENT,
                               .flags = 0x80241,
                               .is_write = true};
    FILE *out = open_memstream(&text, &len);

    (void)state;
    lc_trace_log_head(out, argv);
    lc_trace_log_event(out, &e);
    fclose(out);
    assert_int_equal(read_text(text, &err), 0);
    assert_int_equal(count, 1);
    assert_int_equal(seen.tid, 7);
    assert_int_equal(seen.pid, 5);
    assert_string_equal(seen.call, "openat");
    assert_int_equal(seen.kind, LC_TRACE_OPEN);
    assert_string_equal(path, "/a\n\xff\\");
    assert_string_equal(given, "rel");
    assert_string_equal(real, "/real");
    assert_string_equal(second, "(none)");
    assert_int_equal(seen.result, -ENOENT);
    assert_int_equal(seen.flags, 0x80241);
    assert_true(seen.is_write);
    free(text);
}

static void passes_over_details_it_does_not_know(void **state)
{
    struct lc_error err;

    (void)state;
    assert_int_equal(read_text("# loadcast trace log 1\n3\tread\t10\t/f\tbytes=10\tnew=1\n", &err),
                     0);
    assert_int_equal(seen.bytes, 10);
    assert_string_equal(given, "(none)");
}

static void refuses_a_damaged_line_by_number(void **state)
{
    static const char *const bad[] = {
        "# loadcast trace log 1\n3\tread\t10\n",
        "# loadcast trace log 1\n3\tblub\t1\t/f\n",
        "# loadcast trace log 1\nx\tread\t1\t/f\n",
        "# loadcast trace log 1\n3\tread\tmany\t/f\n",
        "# loadcast trace log 1\n3\tread\t1\t/f\\q\n",
        "# loadcast trace log 1\n3\tread\t-EWHAT\t/f\n",
        "# loadcast trace log 1\n\n",
    };
    struct lc_error err;

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        assert_int_equal(read_text(bad[i], &err), -1);
        assert_non_null(strstr(err.text, "line 2"));
    }
    assert_int_equal(read_text("hello\n", &err), -1);
    assert_non_null(strstr(err.text, "not a trace log"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_back_what_it_wrote),
        cmocka_unit_test(passes_over_details_it_does_not_know),
        cmocka_unit_test(refuses_a_damaged_line_by_number),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
