/* SPDX-License-Identifier: MIT */
/* look_test.c - look-ups in an image */
#include "util/test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "image/fixture.h"
#include "image/image.h"

static struct lc_image *image;

static int set_up(void **state)
{
    char file[] = "/tmp/loadcast-look.XXXXXX";
    struct lc_error err = {""};

    (void)state;
    close(mkstemp(file));
    lc_fixture_write(file);
    image = lc_image_open(file, &err);
    unlink(file);
    assert_string_equal(err.text, "");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    lc_image_close(image);
    return 0;
}

static struct lc_found walk(const char *path, int flags, struct lc_walk *w)
{
    return lc_look_walk(&image->look, path, strlen(path), flags, w);
}

/* The answer as text: "=PATH" if found at PATH, "-ERRNO" if absent with that errno, "?" if unknown.
 */
static const char *look_up_with(const char *path, int flags)
{
    static char text[LC_PATH_MAX + 8];
    static struct lc_walk w;
    struct lc_found f = walk(path, flags, &w);

    if (f.answer == LC_ANSWER_UNKNOWN)
        return "?";
    text[0] = f.answer == LC_ANSWER_FOUND ? '=' : '-';
    strcpy(text + 1, f.answer == LC_ANSWER_FOUND
                         ? lc_look_name(&image->look, image->look.entry[f.entry].path)
                         : lc_errno_name(f.error));
    return text;
}

static const char *look_up(const char *path)
{
    return look_up_with(path, 0);
}

static void finds_what_was_recorded(void **state)
{
    (void)state;
    assert_string_equal(look_up("/app"), "=/app");
    assert_string_equal(look_up("/app/bin/tool"), "=/app/bin/tool");
    assert_string_equal(look_up("/app/empty"), "=/app/empty");
    assert_string_equal(look_up("/app/lib64/sub/m.pyc"), "=/app/lib64/sub/m.pyc");
}

static void follows_links_as_the_kernel(void **state)
{
    (void)state;
    assert_string_equal(look_up("/app/lib"), "=/app/lib64");
    assert_string_equal(look_up("/app/lib/libx.so"), "=/app/lib64/libx.so");
    assert_string_equal(look_up("/app/lib/up/tool"), "=/app/bin/tool");
    assert_string_equal(look_up_with("/app/lib", LC_WALK_NOFOLLOW), "=/app/lib");
    assert_string_equal(look_up_with("/app/lib/", LC_WALK_NOFOLLOW), "=/app/lib64");
    assert_string_equal(look_up_with("/app/lib/up", LC_WALK_NOFOLLOW), "=/app/lib64/up");
    assert_string_equal(look_up("/app/loop"), "-ELOOP");
    assert_string_equal(look_up("/app/loop/x"), "-ELOOP");
    assert_string_equal(look_up_with("/app/loop", LC_WALK_NOFOLLOW), "=/app/loop");
}

static void dots_and_slashes(void **state)
{
    (void)state;
    assert_string_equal(look_up("//app///bin/./tool"), "=/app/bin/tool");
    assert_string_equal(look_up("/app/lib/up/../lib64/libx.so"), "=/app/lib64/libx.so");
    assert_string_equal(look_up("/app/lib/../bin/"), "=/app/bin");
    assert_string_equal(look_up("/../app/."), "=/app");
    assert_string_equal(look_up("/app/bin/tool/"), "-ENOTDIR");
    assert_string_equal(look_up("/app/bin/tool/."), "-ENOTDIR");
    assert_string_equal(look_up("/app/bin/tool/.."), "-ENOTDIR");
    assert_string_equal(look_up("app/bin"), "?");
    assert_string_equal(look_up(""), "?");
}

static void complete_directories_know_what_they_lack(void **state)
{
    (void)state;
    assert_string_equal(look_up("/app/none"), "-ENOENT");
    assert_string_equal(look_up("/app/never-tried"), "-ENOENT");
    assert_string_equal(look_up("/app/never/tried/deeper"), "-ENOENT");
    assert_string_equal(look_up("/app/lib/never"), "-ENOENT");
    assert_string_equal(look_up("/app/none/../bin"), "-ENOENT");
    assert_string_equal(look_up("/app/lib64/sub/other"), "-ENOENT");
}

static void says_nothing_beyond_its_knowledge(void **state)
{
    (void)state;
    assert_string_equal(look_up("/app/odd"), "?"); /* listed, but not recorded */
    assert_string_equal(look_up("/app/odd/below"), "?");
    assert_string_equal(look_up("/app/bin/other"), "?"); /* directory not complete */
    assert_string_equal(look_up("/elsewhere"), "?");
}

static void steps_on_the_way_say_nothing_of_themselves(void **state)
{
    (void)state;
    assert_string_equal(look_up("/"), "?");
    assert_string_equal(look_up("/."), "?");
    assert_string_equal(look_up("/app/.."), "?");
    assert_string_equal(look_up_with("/way", LC_WALK_NOFOLLOW), "?");
    assert_string_equal(look_up("/way"), "=/app");
    assert_string_equal(look_up("/way/lib/libx.so"), "=/app/lib64/libx.so");
}

static void over_long_paths_are_not_ours(void **state)
{
    char path[5000];

    (void)state;
    memset(path, 'x', sizeof(path));
    memcpy(path, "/app/", 5);
    path[4096] = '\0';
    assert_string_equal(look_up(path), "?");
    path[4095] = '\0'; /* the kernel says ENAMETOOLONG; either answer is right */
    struct lc_walk w;
    assert_int_not_equal(walk(path, 0, &w).answer, LC_ANSWER_FOUND);
}

static void lists_in_the_order_of_the_source(void **state)
{
    struct lc_walk w;
    uint32_t count;
    const struct lc_inode *dir = lc_look_inode(&image->look, walk("/app", 0, &w).entry);
    const struct lc_dirent *d = lc_look_dirents(&image->look, dir, &count);

    (void)state;
    assert_int_equal(count, 9);
    assert_string_equal(lc_look_name(&image->look, d[0].name), "lib64");
    assert_string_equal(lc_look_name(&image->look, d[8].name), "odd");
    assert_true(lc_look_is_listed(&image->look, dir, "twin", 4));
    assert_false(lc_look_is_listed(&image->look, dir, "twi", 3));
    assert_false(lc_look_is_listed(&image->look, dir, "twins", 5));
}

static void hard_links_share_an_inode_equal_files_do_not(void **state)
{
    const struct lc_look *look = &image->look;
    struct lc_walk w;
    uint32_t tool = walk("/app/bin/tool", 0, &w).entry, hard = walk("/app/hard", 0, &w).entry,
             twin = walk("/app/twin", 0, &w).entry;

    (void)state;
    assert_int_equal(look->entry[tool].inode, look->entry[hard].inode);
    assert_int_not_equal(look->entry[tool].inode, look->entry[twin].inode);
    assert_int_equal(lc_look_inode(look, tool)->data, lc_look_inode(look, twin)->data);
}

static void search_results_by_loader(void **state)
{
    const struct lc_look *look = &image->look;
    uint32_t at = lc_look_search(look, 0, 0, "/app/bin/tool", "libx.so");

    (void)state;
    assert_string_equal(lc_look_name(look, look->search[at].result), "/app/lib64/libx.so");
    at = lc_look_search(look, 0, 0, "/app/lib64/libx.so", "libno.so");
    assert_string_equal(lc_look_name(look, look->search[at].result), "");
    assert_int_equal(lc_look_search(look, 0, 0, "/app/lib64/libx.so", "libx.so"), LC_NONE);
    assert_int_equal(lc_look_search(look, 0, 9, "/app/bin/tool", "libx.so"), LC_NONE);
    assert_int_equal(lc_look_search(look, 1, 0, "/app/bin/tool", "libx.so"), LC_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_was_recorded),
        cmocka_unit_test(follows_links_as_the_kernel),
        cmocka_unit_test(dots_and_slashes),
        cmocka_unit_test(complete_directories_know_what_they_lack),
        cmocka_unit_test(says_nothing_beyond_its_knowledge),
        cmocka_unit_test(steps_on_the_way_say_nothing_of_themselves),
        cmocka_unit_test(over_long_paths_are_not_ours),
        cmocka_unit_test(lists_in_the_order_of_the_source),
        cmocka_unit_test(hard_links_share_an_inode_equal_files_do_not),
        cmocka_unit_test(search_results_by_loader),
    };
    return cmocka_run_group_tests_name("image/look", tests, set_up, tear_down);
}
