/* SPDX-License-Identifier: MIT */
/* advice_test.c - what is proposed for recording, and what never is */
#include "cmd/advice.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

static void advice_check(const char *path, const char *image, const char *want)
{
    char text[256];

    snprintf(text, sizeof(text), "%s", path);
    bool is_proposed = lc_advice_shorten(text, image);
    assert_int_equal(is_proposed, want != NULL);
    if (want)
        assert_string_equal(text, want);
}

static void packages_are_proposed_whole(void **state)
{
    (void)state;
    advice_check("/env/lib/python3.11/site-packages/numpy/core/data.txt", "/p/app.lcast",
                 "/env/lib/python3.11/site-packages/numpy");
    advice_check("/usr/lib/python3/dist-packages/six.py", NULL,
                 "/usr/lib/python3/dist-packages/six.py");
}

static void loaded_code_is_proposed_as_it_is(void **state)
{
    (void)state;
    advice_check("/sw/lib/libfoo.so.3", "/p/app.lcast", "/sw/lib/libfoo.so.3");
    advice_check("/project/helper.py", "/project/app.lcast", "/project/helper.py");
}

static void directories_and_data_are_never_proposed(void **state)
{
    (void)state;
    advice_check("/project", "/project/app.lcast", NULL);
    advice_check("/project/results.h5", "/project/app.lcast", NULL);
    advice_check("/env/lib/python3.11/site-packages/", NULL, NULL);
    advice_check("/data/site-packages/set/image.lcast", "/data/site-packages/set/image.lcast",
                 NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packages_are_proposed_whole),
        cmocka_unit_test(loaded_code_is_proposed_as_it_is),
        cmocka_unit_test(directories_and_data_are_never_proposed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
