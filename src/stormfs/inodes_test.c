/* SPDX-License-Identifier: MIT */
#include "util/test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stormfs/inodes.h"

static struct lc_inodes *t;
static struct lc_storm_inode *root;

/* A fresh directory as the source and as working directory. */
static int set_up(void **state)
{
    char *name = strdup("/tmp/loadcast-unit.XXXXXX");

    *state = mkdtemp(name);
    if (!*state || chdir(name) < 0)
        return -1;
    t = lc_inodes_create(open(".", O_PATH | O_DIRECTORY));
    root = lc_inodes_get(t, 1);
    return t ? 0 : -1;
}

static int tear_down(void **state)
{
    char command[80];

    lc_inodes_destroy(t);
    snprintf(command, sizeof(command), "cd / && rm -rf '%s'", (char *)*state);
    int rc = system(command);
    free(*state);
    return rc;
}

static void file_write(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");

    fputs(text, f);
    fclose(f);
}

static struct lc_storm_inode *name_lookup(struct lc_storm_inode *dir, const char *name)
{
    struct lc_storm_inode *i;
    struct stat st;

    return lc_inodes_lookup(t, dir, name, &st, &i) == 0 ? i : NULL;
}

static char first_byte(struct lc_storm_inode *i)
{
    struct stat st;
    char c = '?';
    int fd = lc_inode_open(t, i, O_RDONLY, &st);

    if (fd < 0 || read(fd, &c, 1) != 1)
        c = '!';
    if (fd >= 0)
        close(fd);
    return c;
}

static void hard_links_are_one_inode(void **state)
{
    struct stat st;

    (void)state;
    file_write("a", "A");
    assert_int_equal(link("a", "b"), 0);
    struct lc_storm_inode *i = name_lookup(root, "a");
    assert_ptr_equal(name_lookup(root, "b"), i);
    unlink("b"); /* the newest name leads nowhere; the older one does */
    assert_int_equal(lc_inode_stat(t, i, &st), 0);
    assert_int_equal(first_byte(i), 'A');
    lc_inodes_forget(t, i, 2);
    assert_int_equal(lc_inodes_count(t), 1);
}

static void a_replaced_file_is_stale_not_another(void **state)
{
    struct stat st;

    (void)state;
    file_write("a", "A");
    file_write("b", "B");
    struct lc_storm_inode *i = name_lookup(root, "a");
    assert_int_equal(rename("b", "a"), 0);
    assert_int_equal(lc_inode_stat(t, i, &st), -1);
    assert_int_equal(errno, ESTALE);
    assert_int_equal(first_byte(name_lookup(root, "a")), 'B');
}

static void an_open_file_is_reached_without_a_name(void **state)
{
    struct lc_handle h;
    struct stat st;

    (void)state;
    file_write("a", "A");
    struct lc_storm_inode *i = name_lookup(root, "a");
    int fd = lc_inode_open(t, i, O_RDONLY, &st);
    lc_handle_add(t, &h, i, fd);
    unlink("a");
    assert_int_equal(lc_inode_stat(t, i, &st), 0);
    assert_int_equal(st.st_nlink, 0);
    assert_int_equal(first_byte(i), 'A');
    lc_handle_remove(t, &h);
    close(fd);
    assert_int_equal(lc_inode_stat(t, i, &st), -1);
}

static void what_is_held_outlives_its_name(void **state)
{
    struct stat st, gone;

    (void)state;
    file_write("a", "A");
    struct lc_storm_inode *i = name_lookup(root, "a");
    stat("a", &gone);
    lc_inodes_hold(t, root, "a");
    unlink("a");
    lc_inodes_name_removed(t, root, "a", &gone);
    assert_int_equal(lc_inode_stat(t, i, &st), 0);
    assert_int_equal(first_byte(i), 'A');
    lc_inodes_forget(t, i, 1);
    assert_int_equal(lc_inodes_count(t), 1);
}

static void a_moved_directory_takes_its_content_along(void **state)
{
    struct stat st, dir;

    (void)state;
    mkdir("d", 0700);
    file_write("d/f", "F");
    struct lc_storm_inode *d = name_lookup(root, "d"), *f = name_lookup(d, "f");
    stat("d", &dir);
    rename("d", "e");
    lc_inodes_name_removed(t, root, "d", &dir);
    lc_inodes_name_added(t, root, "e", &dir);
    assert_int_equal(lc_inode_stat(t, f, &st), 0);
    assert_int_equal(first_byte(f), 'F');
}

static void parents_stay_while_children_are_known(void **state)
{
    (void)state;
    mkdir("d", 0700);
    file_write("d/f", "F");
    struct lc_storm_inode *d = name_lookup(root, "d"), *f = name_lookup(d, "f");
    lc_inodes_forget(t, d, 1);
    assert_int_equal(first_byte(f), 'F');
    assert_int_equal(lc_inodes_count(t), 3);
    lc_inodes_forget(t, f, 1);
    assert_int_equal(lc_inodes_count(t), 1);
}

static size_t open_fds(void)
{
    size_t n = 0;

    for (int fd = 0; fd < 4096; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

static void many_directories_need_few_descriptors(void **state)
{
    struct lc_storm_inode *dir[2000];
    char name[16];
    size_t before = open_fds();

    (void)state;
    for (int i = 0; i < 2000; i++) {
        snprintf(name, sizeof(name), "d%d", i);
        mkdir(name, 0700);
        dir[i] = name_lookup(root, name);
        assert_null(name_lookup(dir[i], "absent"));
    }
    assert_true(lc_inodes_cached_fds(t) <= 512);
    assert_true(open_fds() - before <= 512);
    for (int i = 0; i < 2000; i++)
        lc_inodes_forget(t, dir[i], 1);
    assert_int_equal(lc_inodes_count(t), 1);
    assert_int_equal(open_fds(), before);
}

static void caches_are_kept_per_mount_until_a_change(void **state)
{
    struct stat st;

    (void)state;
    file_write("a", "A");
    struct lc_storm_inode *i = name_lookup(root, "a");
    stat("a", &st);
    assert_false(lc_inode_cache_is_valid(t, i, 0, &st));
    assert_false(lc_inode_cache_is_valid(t, i, 0, &st)); /* too fresh to be sure */
    st.st_ctim.tv_sec -= 10;
    assert_false(lc_inode_cache_is_valid(t, i, 0, &st));
    assert_true(lc_inode_cache_is_valid(t, i, 0, &st));
    assert_false(lc_inode_cache_is_valid(t, i, 63, &st));
    st.st_size++;
    assert_false(lc_inode_cache_is_valid(t, i, 63, &st));
    assert_false(lc_inode_cache_is_valid(t, i, 0, &st));
    assert_true(lc_inode_cache_is_valid(t, i, 0, &st));
}

static void a_reused_number_of_another_kind_is_new(void **state)
{
    struct stat st;
    struct lc_storm_inode *i, *old;

    (void)state;
    /* No file system promises to reuse a number at once: try, and be content if it does not. */
    for (int n = 0; n < 50; n++) {
        file_write("x", "X");
        stat("x", &st);
        ino_t number = st.st_ino;
        old = name_lookup(root, "x");
        unlink("x");
        mkdir("x", 0700);
        assert_int_equal(lc_inodes_lookup(t, root, "x", &st, &i), 0);
        assert_ptr_not_equal(i, old);
        assert_true(S_ISDIR(st.st_mode));
        rmdir("x");
        lc_inodes_forget(t, old, 1);
        if (st.st_ino == number)
            return;
    }
}

/* Found by the search for memory leaks in the sanitized leg. */
static void an_inode_that_lost_its_number_is_freed_at_the_end(void **state)
{
    struct stat st;

    (void)state;
    file_write("x", "X");
    assert_int_equal(stat("x", &st), 0);
    struct lc_storm_inode *old = lc_inodes_adopt(t, root, "x", &st);
    st.st_mode = S_IFDIR | 0700;
    assert_ptr_not_equal(lc_inodes_adopt(t, root, "x", &st), old);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(hard_links_are_one_inode),
        CASE(a_replaced_file_is_stale_not_another),
        CASE(an_open_file_is_reached_without_a_name),
        CASE(what_is_held_outlives_its_name),
        CASE(a_moved_directory_takes_its_content_along),
        CASE(parents_stay_while_children_are_known),
        CASE(many_directories_need_few_descriptors),
        CASE(caches_are_kept_per_mount_until_a_change),
        CASE(a_reused_number_of_another_kind_is_new),
        CASE(an_inode_that_lost_its_number_is_freed_at_the_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
