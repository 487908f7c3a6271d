/* SPDX-License-Identifier: MIT */
/* key_test.c - keys of images: which variables count, and how a key is written */
#include "store/key.h"

#include <stdbool.h>
#include <string.h>

#include "util/test.h"

static void key_make(struct lc_store_key *key, const char *name, char *const *environment)
{
    *key = (struct lc_store_key){.parts = NULL};
    lc_store_key_add(key, "program", name);
    lc_store_key_name(key, name);
    lc_store_key_add_variables(key, environment, NULL);
    lc_store_key_finish(key);
}

static void pair_compare(char *const *one, char *const *other, bool are_same)
{
    struct lc_store_key a, b;

    key_make(&a, "/x/app", one);
    key_make(&b, "/x/app", other);
    if (are_same)
        assert_string_equal(a.text, b.text);
    else
        assert_string_not_equal(a.text, b.text);
    lc_store_key_free(&a);
    lc_store_key_free(&b);
}

#define LIST(...) ((char *[]){__VA_ARGS__, NULL})

static void test_variables(void **state)
{
    (void)state;
    pair_compare(LIST("A=1"), LIST("VIRTUAL_ENV=/v", "PATH=/b", "HOME=/h"), true);
    pair_compare(LIST("LD_LIBRARY_PATH=/a"), LIST("LD_LIBRARY_PATH=/b"), false);
    pair_compare(LIST("LD_LIBRARY_PATH=/a:/b"), LIST("LD_LIBRARY_PATH=/b:/a"), false);
    pair_compare(LIST("LD_LIBRARY_PATH=/a:/b"), LIST("LD_LIBRARY_PATH=/a:/b:/a:/b"), true);
    pair_compare(LIST("LD_LIBRARY_PATH="), LIST("A=1"), true);
    pair_compare(LIST("LD_LIBRARY_PATH=/a"), LIST("LD_LIBRARY_PATH=/a:"), false);
    pair_compare(LIST("LD_PRELOAD=a.so b.so"), LIST("LD_PRELOAD=a.so:b.so"), true);
    pair_compare(LIST("PYTHONPATH=/a"), LIST("PYTHONHOME=/a"), false);
}

static void name_check(const char *path, const char *label)
{
    struct lc_store_key key;

    key_make(&key, path, LIST("A=1"));
    assert_string_equal(key.label, label);
    assert_int_equal(strlen(key.text), strlen(label) + 17);
    assert_memory_equal(key.text, label, strlen(label));
    lc_store_key_free(&key);
}

/* A key is the name of a file, and a word on command lines. */
static void test_names(void **state)
{
    (void)state;
    name_check("/x/app.py", "app.py");
    name_check("/x/.hidden", "_hidden");
    name_check("-rf", "_rf");
    name_check("/x/a b\n*/", "_");
    name_check("/x/a b\n*", "a_b__");
    name_check("/x/0123456789012345678901234567890123456789abc",
               "012345678901234567890123456789012345678");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_variables),
        cmocka_unit_test(test_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
