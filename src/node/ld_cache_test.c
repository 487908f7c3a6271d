/* SPDX-License-Identifier: MIT */
/* ld_cache_test.c - ld.so.cache, of this system and made by hand */
#include "util/test.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "node/arch.h"
#include "node/ld_cache.h"

static const char *find(const struct lc_ld_cache *cache, const char *name)
{
    const char *path = NULL;

    switch (lc_ld_cache_find(cache, name, &path)) {
    case LC_CACHED_NOT:
        return "not";
    case LC_CACHED_ONCE:
        return path;
    default:
        return "unknown";
    }
}

/* The first line of "ldconfig -p" for each name is what ld.so takes, if no processor is named. */
static void the_system_s_cache_reads_as_ldconfig_prints_it(void **state)
{
    struct lc_ld_cache cache = lc_ld_cache_read("/etc/ld.so.cache");
    FILE *f = popen("PATH=$PATH:/sbin:/usr/sbin; ldconfig -p", "r");
    char line[4096], name[1024], kind[1024], path[1024], last[1024] = "";
    int compared = 0;

    (void)state;
    assert_non_null(f);
    while (fgets(line, sizeof(line), f)) {
        if (sscanf(line, " %1023s (%1023[^)]) => %1023s", name, kind, path) != 3 ||
            (strcmp(kind, "libc6,x86-64") != 0 && strcmp(kind, "libc6,AArch64") != 0))
            continue;
        if (strcmp(name, last) != 0) {
            const char *found = find(&cache, name);
            assert_true(strcmp(found, path) == 0 || strcmp(found, "unknown") == 0);
            compared++;
        }
        strcpy(last, name);
    }
    pclose(f);
    if (compared == 0)
        skip();
    assert_string_equal(find(&cache, "libloadcast-none.so.1"), "not");
    lc_ld_cache_free(&cache);
}

struct entry {
    int32_t flags;
    uint32_t name, path, os_version;
    uint64_t hwcap;
};

static const struct {
    char magic[20];
    uint32_t count, strings_size, unused[5];
    struct entry entry[4];
    char text[64];
} made = {
    .magic = {'g', 'l', 'i', 'b', 'c', '-', 'l', 'd', '.', 's',
              'o', '.', 'c', 'a', 'c', 'h', 'e', '1', '.', '1'},
    .count = 4,
    .entry = {{LC_ARCH_CACHE_FLAGS, 144, 154, 0x030200, 0}, /* liba.so.1 => /a, from Linux 3.2 on */
              {LC_ARCH_CACHE_FLAGS - 1, 157, 154, 0, 0},    /* libb.so of another kind of object */
              {LC_ARCH_CACHE_FLAGS, 165, 154, 0, 1ull << 62}, /* libc.so for some processors */
              {LC_ARCH_CACHE_FLAGS, 165, 154, 0, 0}},
    .text = "liba.so.1\0/a\0libb.so\0libc.so",
};

static struct lc_ld_cache read_bytes(const void *head, size_t head_size, const void *data,
                                     size_t size)
{
    char path[] = "/tmp/loadcast-cache-XXXXXX";
    int fd = mkstemp(path);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, head, head_size), head_size);
    assert_int_equal(write(fd, data, size), size);
    close(fd);
    struct lc_ld_cache cache = lc_ld_cache_read(path);
    unlink(path);
    return cache;
}

static void check_made(struct lc_ld_cache cache)
{
    assert_string_equal(find(&cache, "liba.so.1"), "/a");
    assert_string_equal(find(&cache, "liba.so.01"), "/a"); /* numbers count by their value */
    assert_string_equal(find(&cache, "liba.so.10"), "not");
    assert_string_equal(find(&cache, "liba.so."), "not");
    assert_string_equal(find(&cache, "libb.so"), "not");
    assert_string_equal(find(&cache, "libc.so"), "unknown");
    lc_ld_cache_free(&cache);
}

static void entries_for_other_machines_do_not_count_and_those_for_some_processors_are_left(void **s)
{
    (void)s;
    check_made(read_bytes("", 0, &made, sizeof(made)));
}

static void the_new_format_behind_the_old_one(void **state)
{
    struct {
        char magic[11];
        uint32_t count;
        uint32_t entry[3];
        uint32_t pad;
    } old = {.count = 1};

    (void)state;
    memcpy(old.magic, "ld.so-1.7.0", sizeof(old.magic));
    check_made(read_bytes(&old, sizeof(old), &made, sizeof(made)));
}

static void what_is_cut_or_foreign_says_nothing(void **state)
{
    struct lc_ld_cache cut = read_bytes("", 0, &made, 100), foreign = read_bytes("", 0, "x\n", 2);

    (void)state;
    assert_string_equal(find(&cut, "libz.so"), "unknown");
    assert_string_equal(find(&foreign, "libz.so"), "unknown");
}

static void no_file_is_no_entry(void **state)
{
    struct lc_ld_cache none = lc_ld_cache_read("/tmp/loadcast-none/ld.so.cache");

    (void)state;
    assert_string_equal(find(&none, "libc.so.6"), "not");
    lc_ld_cache_free(&none);
}

/* Does what was found stay as it was when the file is written over? */
static bool is_private_copy(unsigned mode, uid_t owner, size_t size)
{
    char path[] = "/tmp/loadcast-cache-XXXXXX";
    int fd = mkstemp(path);
    const char zeros[sizeof(made)] = {0};

    assert_int_equal(write(fd, &made, sizeof(made)), sizeof(made));
    assert_int_equal(ftruncate(fd, (off_t)size), 0);
    assert_int_equal(fchmod(fd, mode), 0);
    if (fchown(fd, owner, (gid_t)-1) < 0) {
        unlink(path);
        close(fd);
        skip();
    }
    struct lc_ld_cache cache = lc_ld_cache_read(path);
    assert_int_equal(pwrite(fd, zeros, sizeof(zeros), 0), sizeof(zeros));
    bool is_private = strcmp(find(&cache, "liba.so.1"), "/a") == 0;
    lc_ld_cache_free(&cache);
    unlink(path);
    close(fd);
    return is_private;
}

static void only_what_root_alone_can_change_is_mapped(void **state)
{
    (void)state;
    assert_true(is_private_copy(0600, 65534, sizeof(made)));
    assert_true(is_private_copy(0664, 0, sizeof(made)));
    assert_true(is_private_copy(0666, 0, sizeof(made)));
    assert_true(is_private_copy(0644, 0, 4096)); /* no zero behind the last string */
    assert_false(is_private_copy(0644, 0, sizeof(made)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_system_s_cache_reads_as_ldconfig_prints_it),
        cmocka_unit_test(
            entries_for_other_machines_do_not_count_and_those_for_some_processors_are_left),
        cmocka_unit_test(the_new_format_behind_the_old_one),
        cmocka_unit_test(what_is_cut_or_foreign_says_nothing),
        cmocka_unit_test(no_file_is_no_entry),
        cmocka_unit_test(only_what_root_alone_can_change_is_mapped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
