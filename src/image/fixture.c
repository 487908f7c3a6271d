/* SPDX-License-Identifier: MIT */
/* fixture.c - a small tree for tests: always the same, with every kind of entry */
#include "image/fixture.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "image/bindings_build.h"
#include "image/write.h"
#include "util/test.h"

static struct lc_tree_entry *entry_add(struct lc_tree *tree, const char *path, uint64_t ino,
                                       unsigned mode)
{
    struct lc_tree_entry *node = lc_tree_entry_make(tree, path);
    struct stat st = {.st_dev = 7,
                      .st_ino = ino,
                      .st_mode = mode,
                      .st_nlink = 1,
                      .st_uid = 1000,
                      .st_gid = 100,
                      .st_blksize = 4096,
                      .st_mtim = {1700000000 + (time_t)ino, 123456789},
                      .st_ctim = {1700000001 + (time_t)ino, 1},
                      .st_atim = {1700000002 + (time_t)ino, 2}};

    assert_non_null(node);
    lc_tree_entry_set_stat(node, &st);
    node->stat.mount = lc_tree_mount(tree, "/app", "lustre", "mds@tcp:/app");
    return node;
}

static void file_add(struct lc_tree *tree, const char *path, uint64_t ino, unsigned mode,
                     const char *bytes, size_t len)
{
    struct lc_tree_entry *node = entry_add(tree, path, ino, S_IFREG | mode);

    assert_int_equal(lc_tree_entry_set_bytes(node, bytes, len), 0);
    node->stat.blocks = (len + 511) / 512;
}

static void link_add(struct lc_tree *tree, const char *path, uint64_t ino, const char *target)
{
    assert_int_equal(lc_tree_entry_set_link(entry_add(tree, path, ino, S_IFLNK | 0777), target), 0);
}

static void listing_set(struct lc_tree *tree, const char *path, const char *const *names)
{
    size_t n = 0;

    while (names[n])
        n++;
    struct lc_listed_name *l = calloc(n + 1, sizeof(*l));
    assert_non_null(l);
    for (size_t i = 0; i < n; i++)
        l[i] = (struct lc_listed_name){strdup(names[i]), 100 + i, DT_UNKNOWN};
    lc_tree_entry_set_list(lc_tree_find(tree, path), l, n, true);
}

static void add_files(struct lc_tree *tree)
{
    static char library[9000];

    for (size_t i = 0; i < sizeof(library); i++)
        library[i] = (char)(i * 7 + i / 251);
    file_add(tree, "/app/bin/tool", 20, 0755, "#!/bin/sh\n", 10);
    file_add(tree, "/app/hard", 20, 0755, "#!/bin/sh\n", 10);
    lc_tree_find(tree, "/app/hard")->stat.nlink = 2;
    lc_tree_find(tree, "/app/bin/tool")->stat.nlink = 2;
    file_add(tree, "/app/twin", 21, 0644, "#!/bin/sh\n", 10);
    file_add(tree, "/app/empty", 22, 0644, "", 0);
    file_add(tree, "/app/lib64/libx.so", 23, 0755, library, sizeof(library));
    file_add(tree, "/app/lib64/sub/m.pyc", 1, 0644, "bytecode", 8);
    lc_tree_find(tree, "/app/lib64/sub/m.pyc")->flags = LC_ENTRY_MADE;
    struct lc_tree_entry *secret = entry_add(tree, "/app/secret", 24, S_IFREG | 0600);
    secret->stat.size = 77;
    secret->source = LC_SOURCE_NONE;
}

static void add_searches(struct lc_tree *tree)
{
    struct lc_tree_key key = {0x1234, 2, 0x77, 3, "/app/bin/tool", "/app/lib", "a.b=1", "x86_64"};
    uint32_t k = lc_tree_key(tree, &key);

    assert_int_equal(lc_tree_search(tree, k, 0, "/app/bin/tool", "libx.so", "/app/lib64/libx.so"),
                     0);
    assert_int_equal(lc_tree_search(tree, k, 0, "/app/lib64/libx.so", "libno.so", ""), 0);
}

/* Bindings of a program with one library, and of a dlopen that finds the library already loaded. */
static void add_bindings(struct lc_tree *tree)
{
    struct lc_bind_build b = {0};
    struct lc_bind_object program = {{1, 2}, 3, 4, .extent = 0x3000, .rows = 3, .relative = 1};
    struct lc_bind_object library = {{5, 6}, 7, 0, .extent = 0x2000, .rows = 9, .alias = 99};
    uint32_t words[] = {1, 1, LC_BIND_SELF, 1, 0x2000, 0x1500, 0x2008, 0x10, 2, 0x2010, 1, 0x1600};

    assert_int_equal(lc_bind_build_object(&b, &program, "/app/bin/tool"), 0);
    assert_int_equal(lc_bind_build_object(&b, &library, "/app/lib64/libx.so"), 1);
    lc_bind_build_name(&b, 1, "libx.so");
    struct lc_bind_plan plan = {.runs = 2, .bindings = 2, .leftovers = 1, .ifuncs = 1};
    struct lc_bind_member both[] = {{0, lc_bind_build_plan(&b, &plan, words)}, {1, LC_NONE}};
    lc_bind_build_group(
        &b, &(struct lc_bind_group){0, .root = 0, .count = 2, .flags = LC_BIND_GROUP_START}, both);
    lc_bind_build_group(&b, &(struct lc_bind_group){77, .root = 1, .count = 1}, &both[1]);
    assert_int_equal(lc_bind_build_finish(&b, &tree->bindings), 0);
    lc_bind_build_free(&b);
}

void lc_fixture_tree(struct lc_tree *tree)
{
    entry_add(tree, "/", 2, S_IFDIR | 0755)->flags = LC_ENTRY_ROUTE;
    link_add(tree, "/way", 40, "app");
    lc_tree_find(tree, "/way")->flags = LC_ENTRY_ROUTE;
    entry_add(tree, "/app", 10, S_IFDIR | 0755);
    entry_add(tree, "/app/bin", 11, S_IFDIR | 0755);
    entry_add(tree, "/app/lib64", 12, S_IFDIR | 0755);
    entry_add(tree, "/app/lib64/sub", 13, S_IFDIR | 0755);
    listing_set(tree, "/app",
                (const char *[]){"lib64", "lib", "bin", "hard", "twin", "empty", "loop", "secret",
                                 "odd", NULL});
    listing_set(tree, "/app/lib64", (const char *[]){"libx.so", "sub", "up", NULL});
    listing_set(tree, "/app/lib64/sub", (const char *[]){NULL});
    add_files(tree);
    link_add(tree, "/app/lib", 30, "lib64");
    link_add(tree, "/app/loop", 31, "loop");
    link_add(tree, "/app/lib64/up", 32, "../bin");
    struct lc_tree_entry *none = lc_tree_entry_make(tree, "/app/none");
    assert_non_null(none);
    lc_tree_entry_set_absent(none, ENOENT);
    add_searches(tree);
    add_bindings(tree);
}

void lc_fixture_write(const char *file)
{
    struct lc_tree tree = {0};
    struct lc_write how = {.file = file, .provenance = LC_FIXTURE_PROVENANCE};
    struct lc_written did;
    struct lc_error err = {""};

    lc_fixture_tree(&tree);
    int rc = lc_image_write(&tree, &how, &did, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(rc, 0);
    lc_tree_free(&tree);
}
