/* SPDX-License-Identifier: MIT */
#include "util/test.h"

#include <errno.h>
#include <string.h>

#include "util/buf.h"

static void grows_and_stays_terminated(void **state)
{
    struct lc_buf b = {0};

    (void)state;
    assert_string_equal(lc_buf_text(&b), "");
    for (int i = 0; i < 1000; i++)
        assert_int_equal(lc_buf_printf(&b, "%d,", i), 0);
    assert_int_equal(b.len, strlen(b.data));
    assert_memory_equal(b.data + b.len - 5, ",999,", 6);
    lc_buf_clear(&b);
    assert_string_equal(lc_buf_text(&b), "");
    lc_buf_free(&b);
}

static void escapes_what_would_break_a_line(void **state)
{
    struct lc_buf b = {0};

    (void)state;
    lc_buf_escape(&b, "a\tb\nc\\d\x01\xff gr\xc3\xbc\xc3\x9f \xed\xa0\x80", 20);
    assert_string_equal(b.data, "a\\tb\\nc\\\\d\\x01\\xff gr\xc3\xbc\xc3\x9f \\xed\\xa0\\x80");
    lc_buf_free(&b);
}

static void reads_back_every_byte_it_escaped(void **state)
{
    struct lc_buf text = {0}, back = {0};
    char all[256];

    (void)state;
    for (int i = 0; i < 256; i++)
        all[i] = (char)i;
    lc_buf_escape(&text, all, sizeof(all));
    assert_int_equal(lc_buf_unescape(&back, text.data, text.len), 0);
    assert_int_equal(back.len, sizeof(all));
    assert_memory_equal(back.data, all, sizeof(all));
    lc_buf_free(&text);
    lc_buf_free(&back);
}

static void refuses_a_malformed_escape(void **state)
{
    static const char *const bad[] = {"\\", "\\q", "\\x", "\\x1", "\\xzz"};

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        struct lc_buf b = {0};
        assert_int_equal(lc_buf_unescape(&b, bad[i], strlen(bad[i])), -1);
        assert_int_equal(errno, EINVAL);
        lc_buf_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grows_and_stays_terminated),
        cmocka_unit_test(escapes_what_would_break_a_line),
        cmocka_unit_test(reads_back_every_byte_it_escaped),
        cmocka_unit_test(refuses_a_malformed_escape),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
