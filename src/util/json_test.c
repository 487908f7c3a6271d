/* SPDX-License-Identifier: MIT */
#include "util/test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/json.h"

static void keeps_text_that_is_not_utf8_readable(void **state)
{
    json_t *text = lc_json_text("bad\xff.so");

    (void)state;
    assert_string_equal(json_string_value(text), "bad\\xff.so");
    json_decref(text);
}

static void leaves_no_half_file_behind(void **state)
{
    char dir[] = "/tmp/loadcast-json-XXXXXX", file[64];
    struct lc_error err;
    json_t *value = json_pack("{s:i}", "n", 1);

    (void)state;
    assert_non_null(mkdtemp(dir));
    snprintf(file, sizeof(file), "%s/no/x.json", dir);
    assert_int_equal(lc_json_write(value, file, &err), -1);
    assert_non_null(strstr(err.text, "x.json"));
    snprintf(file, sizeof(file), "%s/x.json", dir);
    assert_int_equal(lc_json_write(value, file, &err), 0);
    json_t *back = json_load_file(file, 0, NULL);
    assert_true(json_equal(value, back));
    json_decref(back);
    json_decref(value);
    assert_int_equal(unlink(file), 0);
    assert_int_equal(rmdir(dir), 0); /* fails if a temporary was left */
}

static void reads_a_file_of_any_length(void **state)
{
    char file[] = "/tmp/loadcast-json.XXXXXX";
    int fd = mkstemp(file);
    json_t *value = json_array(), *back;

    (void)state;
    for (int i = 0; i < 5000; i++)
        json_array_append_new(value, json_integer(i));
    assert_int_equal(json_dumpfd(value, fd, 0), 0);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    back = lc_json_read(fd);
    assert_true(json_equal(value, back));
    assert_null(lc_json_read(-1));
    assert_null(lc_json_read(open("/dev/null", O_RDONLY)));
    json_decref(back);
    json_decref(value);
    unlink(file);
}

static void says_who_made_it(void **state)
{
    char *argv[] = {"loadcast", "x\xfe", NULL};
    json_t *p = lc_json_provenance("loadcast trace", argv);

    (void)state;
    assert_non_null(json_string_value(json_object_get(p, "host")));
    assert_int_equal(json_array_size(json_object_get(p, "command")), 2);
    json_decref(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_text_that_is_not_utf8_readable),
        cmocka_unit_test(leaves_no_half_file_behind),
        cmocka_unit_test(reads_a_file_of_any_length),
        cmocka_unit_test(says_who_made_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
