/* SPDX-License-Identifier: MIT */
/* seen_test.c - from calls to uses, and a part's way through a file */
#include "util/test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/seen.h"

static unsigned uses(const struct lc_seen *seen, const char *path)
{
    const struct lc_seen_path *p = lc_map_get(&seen->paths, path);

    return p ? p->uses : 0;
}

static void call(struct lc_seen *seen, enum lc_trace_kind kind, const char *name, const char *path,
                 long result, uint64_t flags, bool is_write)
{
    struct lc_trace_event e = {.kind = kind,
                               .call = name,
                               .path = path,
                               .result = result,
                               .flags = flags,
                               .is_write = is_write};

    lc_seen_event(seen, &e);
}

static void calls_become_uses(void **state)
{
    struct lc_seen s = {0};

    (void)state;
    call(&s, LC_TRACE_OPEN, "openat", "/a/read", 3, 0, false);
    call(&s, LC_TRACE_OPEN, "openat", "/a/dir", 3, O_DIRECTORY, false);
    call(&s, LC_TRACE_READDIR, "getdents64", "/a/dir", 100, 0, false);
    call(&s, LC_TRACE_STAT, "newfstatat", "/a/none", -ENOENT, 0, false);
    call(&s, LC_TRACE_STAT, "newfstatat", "/a/file/below", -ENOTDIR, 0, false);
    call(&s, LC_TRACE_READLINK, "readlink", "/a/plain", -EINVAL, 0, false);
    call(&s, LC_TRACE_EXEC, "execve", "/a/bin", 0, 0, false);
    call(&s, LC_TRACE_MMAP, "mmap", "/a/lib.so", 1, 0, false);
    call(&s, LC_TRACE_STAT, "fstat", "pipe:[7]", 0, 0, false);
    call(&s, LC_TRACE_STAT, "stat", "?", -EFAULT, 0, false);
    assert_int_equal(uses(&s, "/a/read"), LC_USE_READ);
    assert_int_equal(uses(&s, "/a/dir"), LC_USE_STAT | LC_USE_LIST);
    assert_int_equal(uses(&s, "/a/none"), LC_USE_ABSENT);
    assert_int_equal(uses(&s, "/a/file/below"), LC_USE_ABSENT);
    assert_int_equal(uses(&s, "/a/plain"), LC_USE_STAT);
    assert_int_equal(uses(&s, "/a/bin"), LC_USE_EXEC | LC_USE_READ);
    assert_int_equal(uses(&s, "/a/lib.so"), LC_USE_READ | LC_USE_MAP);
    assert_int_equal(s.paths.count, 7);
    lc_seen_free(&s);
}

static void writes_are_noted_with_their_directories(void **state)
{
    struct lc_seen s = {0};
    struct lc_trace_event move = {.kind = LC_TRACE_CHANGE,
                                  .call = "renameat2",
                                  .path = "/x/from",
                                  .second = "/y/to",
                                  .is_write = true};

    (void)state;
    call(&s, LC_TRACE_OPEN, "openat", "/w/made", 3, O_CREAT | O_WRONLY, true);
    call(&s, LC_TRACE_OPEN, "openat", "/v/grown", 3, O_WRONLY, true);
    call(&s, LC_TRACE_CHANGE, "mkdir", "/w/failed", -EEXIST, 0, true);
    call(&s, LC_TRACE_CHANGE, "chmod", "/u/file", 0, 0, true);
    lc_seen_event(&s, &move);
    assert_int_equal(uses(&s, "/w/made"), LC_USE_WRITE);
    assert_int_equal(uses(&s, "/w"), LC_USE_RENAMES);
    assert_int_equal(uses(&s, "/v"), 0);
    assert_int_equal(uses(&s, "/w/failed"), LC_USE_STAT);
    assert_int_equal(uses(&s, "/u"), 0);
    assert_int_equal(uses(&s, "/y/to"), LC_USE_WRITE);
    assert_int_equal(uses(&s, "/x"), LC_USE_RENAMES);
    assert_int_equal(uses(&s, "/y"), LC_USE_RENAMES);
    lc_seen_free(&s);
}

static void our_own_files_are_not_the_program_s(void **state)
{
    struct lc_seen s = {.ours = {"/our/audit.so", NULL}};

    (void)state;
    call(&s, LC_TRACE_OPEN, "openat", "/our/audit.so", 3, 0, false);
    assert_int_equal(s.paths.count, 0);
    lc_seen_free(&s);
}

static void a_part_survives_its_file_and_unites(void **state)
{
    char file[] = "/tmp/loadcast-part.XXXXXX";
    struct lc_seen a = {.start_ns = 200}, b = {.start_ns = 100};
    struct lc_tree_key key = {1, 2, 77, 3, "/bin/x", "/l:/m", "a.b=1", "x86_64"};
    struct lc_error err = {""};

    (void)state;
    close(mkstemp(file));
    lc_seen_add(&a, "/odd\n\t\\\xff name", LC_USE_READ);
    lc_seen_add(&a, "/both", LC_USE_READ);
    lc_seen_add(&b, "/both", LC_USE_STAT);
    lc_tree_search(&a.search, lc_tree_key(&a.search, &key), 0xabc, "/bin/x", "l.so", "");
    assert_int_equal(lc_seen_save(&a, file, &err), 0);
    assert_int_equal(lc_seen_load(&b, file, &err), 0);
    assert_int_equal(uses(&b, "/odd\n\t\\\xff name"), LC_USE_READ);
    assert_int_equal(uses(&b, "/both"), LC_USE_READ | LC_USE_STAT);
    assert_int_equal(b.start_ns, 100);
    assert_int_equal(b.search.searches, 1);
    assert_int_equal(b.search.search[0].chain, 0xabc);
    assert_string_equal(b.search.search[0].result, "");
    assert_string_equal(b.search.key[0].library_path, "/l:/m");
    assert_string_equal(b.search.key[0].tunables, "a.b=1");
    assert_int_equal(b.search.key[0].cache, 77);
    unlink(file);
    lc_seen_free(&a);
    lc_seen_free(&b);
}

static void a_part_that_is_cut_is_refused(void **state)
{
    char file[] = "/tmp/loadcast-part.XXXXXX";
    struct lc_seen a = {0}, b = {0};
    struct lc_error err = {""};
    int fd = mkstemp(file);

    (void)state;
    lc_seen_add(&a, "/x", LC_USE_READ);
    assert_int_equal(lc_seen_save(&a, file, &err), 0);
    close(fd);
    assert_int_equal(truncate(file, 36), 0);
    assert_int_equal(lc_seen_load(&b, file, &err), -1);
    assert_non_null(strstr(err.text, "not whole"));
    unlink(file);
    assert_int_equal(lc_seen_load(&b, file, &err), -1);
    lc_seen_free(&a);
    lc_seen_free(&b);
}

static void an_audit_log_with_rubbish_in_it(void **state)
{
    char file[] = "/tmp/loadcast-search.XXXXXX";
    struct lc_seen s = {0};
    int fd = mkstemp(file);
    static const char text[] = "found\t0\t/orphan\tno-key.so\t/x\n"
                               "key\tff\t2\t77\t3\t/bin/a\t\ta.b=1\tx86_64\n"
                               "found\t1f\t/bin/a\tl.so\t/lib/l.so\n"
                               "half a li";

    (void)state;
    assert_int_equal(write(fd, text, sizeof(text) - 1), (ssize_t)sizeof(text) - 1);
    close(fd);
    assert_int_equal(lc_seen_read_searches(&s, file), 0);
    assert_int_equal(s.search.searches, 1);
    assert_int_equal(s.search.search[0].chain, 0x1f);
    assert_int_equal(s.search.key[0].hwcap, 0xff);
    assert_int_equal(s.search.key[0].cache, 0x77);
    assert_string_equal(s.search.key[0].tunables, "a.b=1");
    unlink(file);
    lc_seen_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_become_uses),
        cmocka_unit_test(writes_are_noted_with_their_directories),
        cmocka_unit_test(our_own_files_are_not_the_program_s),
        cmocka_unit_test(a_part_survives_its_file_and_unites),
        cmocka_unit_test(a_part_that_is_cut_is_refused),
        cmocka_unit_test(an_audit_log_with_rubbish_in_it),
    };
    return cmocka_run_group_tests_name("record/seen", tests, NULL, NULL);
}
