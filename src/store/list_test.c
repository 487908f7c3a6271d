/* SPDX-License-Identifier: MIT */
/* list_test.c - what is in the store, and which images go when it is full */
#include "store/list.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/test.h"

enum { KB = 1000, SIZE = 64 * 1024 };
static char top[] = "/tmp/loadcast-list-XXXXXX";
static struct lc_store_dir store;

static int set_up(void **state)
{
    struct lc_error err;

    (void)state;
    if (!mkdtemp(top))
        return -1;
    setenv("LOADCAST_STORE", top, 1);
    return lc_store_dir_open(&store, true, &err);
}

static int tear_down(void **state)
{
    char command[128];

    (void)state;
    lc_store_dir_close(&store);
    snprintf(command, sizeof(command), "rm -rf %s", top);
    return system(command);
}

static void bytes_put(const char *name, long age_s)
{
    static const char zeros[SIZE];
    struct timespec when[2] = {{.tv_sec = time(NULL) - age_s}, {.tv_sec = time(NULL) - age_s}};

    assert_int_equal(lc_store_dir_put(&store, name, zeros, sizeof(zeros)), 0);
    assert_int_equal(utimensat(store.fd, name, when, 0), 0);
}

static void image_make(struct lc_store_key *key, const char *name, long age_s)
{
    char file[LC_STORE_KEY + 16];

    *key = (struct lc_store_key){.parts = NULL};
    lc_store_key_add(key, "program", name);
    lc_store_key_name(key, name);
    lc_store_key_finish(key);
    assert_int_equal(lc_store_entry_describe(&store, key, false), 0);
    snprintf(file, sizeof(file), "%s" LC_STORE_IMAGE, key->text);
    bytes_put(file, age_s);
}

static void test_list_and_trim(void **state)
{
    struct lc_store_key a, b, c;
    struct lc_store_list list;
    struct lc_error err;

    (void)state;
    image_make(&a, "/x/a", 300);
    image_make(&b, "/x/b", 200);
    image_make(&c, "/x/c", 100);
    lc_store_entry_use(&store, a.text); /* the oldest image, and the one used last */
    lc_store_entry_use(&store, a.text);
    assert_int_equal(lc_store_list_read(&list, &store, &err), 0);
    assert_int_equal(list.count, 3);
    assert_string_equal(list.item[0].key, a.text);
    assert_int_equal(list.item[0].jobs, 2);
    assert_string_equal(list.item[2].key, b.text);
    uint64_t one = list.item[0].bytes;
    assert_int_equal(list.bytes, 3 * one);
    lc_store_list_free(&list);
    assert_int_equal(lc_store_trim(&store, 3 * one, NULL), 0);
    assert_int_equal(lc_store_trim(&store, 2 * one, NULL), 1);
    assert_false(lc_store_entry_has_image(&store, b.text));
    assert_true(lc_store_entry_has_image(&store, c.text));
    assert_int_equal(lc_store_trim(&store, 0, c.text), 1);
    assert_true(lc_store_entry_has_image(&store, c.text));
    assert_int_equal(lc_store_entry_remove(&store, c.text), 0);
    lc_store_key_free(&a);
    lc_store_key_free(&b);
    lc_store_key_free(&c);
}

/* What is not the store's own is passed over and stays, except what was never finished. */
static void test_foreign_files(void **state)
{
    struct lc_store_key key;
    struct lc_store_list list;
    struct lc_error err;

    (void)state;
    image_make(&key, "/x/known", 10);
    bytes_put("notes.txt", 10);
    bytes_put("other.lcast", 10);
    bytes_put(".new-x.0123", 10);
    bytes_put(".new-y.0123", 200000);
    bytes_put("k-0123456789abcdef.lcast.tmp.01", 200000);
    bytes_put("k-0123456789abcdef.lcast.overlay-7", 200000);
    bytes_put("k-0123456789abcdef.lcast.overlay-8", 10);
    for (int old = 0; old < 2; old++) {
        const char *parts = old ? "o-0123456789abcdef.lcast.parts-unfinished"
                                : "n-0123456789abcdef.lcast.parts-unfinished";
        char part[80];
        struct timespec times[2] = {{.tv_sec = time(NULL) - old * 3000000}};
        times[1] = times[0];
        assert_int_equal(mkdirat(store.fd, parts, 0700), 0);
        snprintf(part, sizeof(part), "%s/00000000.part", parts);
        int fd = openat(store.fd, part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        assert_true(fd >= 0);
        close(fd);
        assert_int_equal(utimensat(store.fd, parts, times, 0), 0);
    }
    bytes_put("damaged-0123456789abcdef.json", 10);
    bytes_put("alone-0123456789abcdef.used", 10);
    assert_int_equal(mkdirat(store.fd, "dir-0123456789abcdef.lcast", 0700), 0);
    assert_int_equal(symlinkat("/etc/passwd", store.fd, "link-0123456789abcdef.lcast"), 0);
    assert_int_equal(lc_store_list_read(&list, &store, &err), 0);
    assert_int_equal(list.count, 1);
    lc_store_list_free(&list);
    lc_store_trim(&store, 1000 * KB, NULL);
    assert_int_equal(faccessat(store.fd, "notes.txt", F_OK, 0), 0);
    assert_int_equal(faccessat(store.fd, ".new-x.0123", F_OK, 0), 0);
    assert_int_equal(faccessat(store.fd, ".new-y.0123", F_OK, 0), -1);
    assert_int_equal(
        faccessat(store.fd, "n-0123456789abcdef.lcast.parts-unfinished/00000000.part", F_OK, 0), 0);
    assert_int_equal(faccessat(store.fd, "o-0123456789abcdef.lcast.parts-unfinished", F_OK, 0), -1);
    assert_int_equal(faccessat(store.fd, "k-0123456789abcdef.lcast.tmp.01", F_OK, 0), -1);
    assert_int_equal(faccessat(store.fd, "k-0123456789abcdef.lcast.overlay-7", F_OK, 0), -1);
    assert_int_equal(faccessat(store.fd, "k-0123456789abcdef.lcast.overlay-8", F_OK, 0), 0);
    assert_false(lc_store_entry_has_image(&store, "link-0123456789abcdef"));
    lc_store_entry_remove(&store, key.text);
    lc_store_key_free(&key);
}

/* Facts of one state of an image go after a month, others stay. */
static void test_facts(void **state)
{
    static const char *const gone[] = {"fact.used-0123456789abcdef",
                                       "fact.misses-0123456789abcdef"};
    static const char *const kept[] = {
        "fact.used-fedcba9876543210",
        "fact.misses-fedcba9876543210",
        "fact.step-s-1",
        "fact.suspect-0123456789abcdef",
        "fact.used-0123456789abcdefg",
        "fact.used-x-0123456789abcdef.used",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(gone) / sizeof(*gone); i++)
        bytes_put(gone[i], 31 * 86400);
    for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
        bytes_put(kept[i], (i < 2 ? 29 : 31) * 86400);
    lc_store_trim(&store, 1000 * KB, NULL);
    for (size_t i = 0; i < sizeof(gone) / sizeof(*gone); i++)
        assert_int_equal(faccessat(store.fd, gone[i], F_OK, 0), -1);
    for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
        assert_int_equal(faccessat(store.fd, kept[i], F_OK, 0), 0);
}

static void test_misses(void **state)
{
    struct lc_store_key key;

    (void)state;
    image_make(&key, "/x/counted", 10);
    lc_store_entry_note_misses(&store, key.text, 12);
    lc_store_entry_note_misses(&store, "unknown-0123456789abcdef", 12);
    json_t *about = lc_store_entry_about(&store, key.text);
    assert_int_equal(json_integer_value(json_object_get(about, "misses")), 12);
    json_decref(about);
    lc_store_key_free(&key);
}

/* Change what the key's file says: its times, and that it has this member. */
static void about_change(const struct lc_store_key *key, const char *without, const char *time)
{
    json_t *about = lc_store_entry_about(&store, key->text), *ignored;
    json_t *lines = json_object_get(about, "nothing_for");
    const char *words;
    char file[LC_STORE_KEY + 16];

    json_object_foreach(lines, words, ignored)
    {
        json_object_set_new(lines, words, json_string(time));
    }
    json_object_set_new(about, "recorded", json_string(time));
    json_object_del(about, without);
    char *text = json_dumps(about, 0);
    snprintf(file, sizeof(file), "%s.json", key->text);
    assert_int_equal(lc_store_dir_put(&store, file, text, strlen(text)), 0);
    free(text);
    json_decref(about);
}

static bool has_nothing(struct lc_store_key *key, uint64_t words)
{
    key->words = words;
    return lc_store_entry_has_nothing(&store, key, NULL);
}

static void test_nothing(void **state)
{
    struct lc_store_key key;
    bool is_described = false;

    (void)state;
    image_make(&key, "/x/little", 10);
    assert_false(lc_store_entry_has_nothing(&store, &key, &is_described));
    assert_true(is_described);
    key.words = 1;
    lc_store_entry_describe(&store, &key, true);
    assert_true(has_nothing(&key, 1));
    assert_false(has_nothing(&key, 2));
    lc_store_entry_describe(&store, &key, true);
    assert_true(has_nothing(&key, 1));
    assert_true(has_nothing(&key, 2));
    about_change(&key, "", "2026-01-31T12:34:56Z");
    assert_false(has_nothing(&key, 1));
    about_change(&key, "", "2999-01-31T12:34:56Z");
    assert_false(has_nothing(&key, 1));
    for (key.words = 1; key.words < 100; key.words++)
        lc_store_entry_describe(&store, &key, true);
    assert_true(has_nothing(&key, 99));
    json_t *about = lc_store_entry_about(&store, key.text);
    assert_int_equal(json_object_size(json_object_get(about, "nothing_for")), 32);
    json_decref(about);
    lc_store_key_free(&key);
}

static void test_nothing_of_0_2_0(void **state)
{
    struct lc_store_key key;
    char now[32];

    (void)state;
    image_make(&key, "/x/older", 10);
    lc_store_entry_describe(&store, &key, true);
    lc_clock_iso(now, sizeof(now), lc_clock_wall_ns());
    about_change(&key, "nothing_for", now);
    assert_true(has_nothing(&key, 1));
    about_change(&key, "nothing_for", "2026-01-31T12:34:56Z");
    assert_false(has_nothing(&key, 1));
    lc_store_key_free(&key);
}

static void test_cap(void **state)
{
    (void)state;
    unsetenv("LOADCAST_STORE_CAP");
    assert_int_equal(lc_store_cap_bytes(), 5000000000);
    setenv("LOADCAST_STORE_CAP", "20G", 1);
    assert_int_equal(lc_store_cap_bytes(), 20000000000);
    setenv("LOADCAST_STORE_CAP", "much", 1);
    assert_int_equal(lc_store_cap_bytes(), 5000000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_list_and_trim), cmocka_unit_test(test_foreign_files),
        cmocka_unit_test(test_facts),         cmocka_unit_test(test_misses),
        cmocka_unit_test(test_nothing),       cmocka_unit_test(test_nothing_of_0_2_0),
        cmocka_unit_test(test_cap),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
