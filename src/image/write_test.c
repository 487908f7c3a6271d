/* SPDX-License-Identifier: MIT */
/* write_test.c - write images, read them, write them again; compare with the golden file */
#include "util/test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image/fixture.h"
#include "image/image.h"
#include "image/write.h"

static char dir[] = "/tmp/loadcast-write.XXXXXX";

static int set_up(void **state)
{
    (void)state;
    return mkdtemp(dir) && chdir(dir) == 0 ? 0 : -1;
}

static int tear_down(void **state)
{
    const char *files[] = {"a", "b", "c", "index", "base", "source", "hole", "x", "y", "z"};

    (void)state;
    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
        unlink(files[i]);
    return chdir("/") == 0 && rmdir(dir) == 0 ? 0 : -1;
}

static char *slurp(const char *file, size_t *len)
{
    int fd = open(file, O_RDONLY);
    struct stat st;

    if (fd < 0 || fstat(fd, &st) < 0)
        fail_msg("cannot open %s", file);
    char *data = malloc((size_t)st.st_size + 1);
    assert_int_equal(read(fd, data, (size_t)st.st_size), st.st_size);
    close(fd);
    *len = (size_t)st.st_size;
    return data;
}

static void assert_same_bytes(const char *a, const char *b)
{
    size_t la, lb;
    char *x = slurp(a, &la), *y = slurp(b, &lb);

    assert_int_equal(la, lb);
    assert_memory_equal(x, y, la);
    free(x);
    free(y);
}

static struct lc_image *open_image(const char *file)
{
    struct lc_error err = {""};
    struct lc_image *image = lc_image_open(file, &err);

    assert_string_equal(err.text, "");
    return image;
}

static void write_tree(struct lc_tree *tree, const char *file, const struct lc_image *base)
{
    struct lc_write how = {.file = file, .provenance = LC_FIXTURE_PROVENANCE, .base = base};
    struct lc_written did;
    struct lc_error err = {""};

    lc_image_write(tree, &how, &did, &err);
    assert_string_equal(err.text, "");
}

static void save_index(const char *from, const char *to)
{
    struct lc_image *image = open_image(from);
    int fd = open(to, O_RDWR | O_CREAT | O_TRUNC, 0666);
    uint64_t id;

    assert_int_equal(lc_image_save_index(&image->look, fd, &id), 0);
    close(fd);
    lc_image_close(image);
}

/* The format must not change by accident: a change needs a new version number and a new golden
 * file. LOADCAST_GOLDEN=write rewrites that file. */
static void equals_the_golden_file(void **state)
{
    const char *again = getenv("LOADCAST_GOLDEN");

    (void)state;
    if (LC_IMAGE_MACHINE != 62)
        skip();
    lc_fixture_write("a");
    save_index("a", "index");
    if (again && strcmp(again, "write") == 0) {
        lc_fixture_write(GOLDEN "/image-v2.lcast");
        save_index("a", GOLDEN "/index-v2.lcast");
    }
    assert_same_bytes("a", GOLDEN "/image-v2.lcast");
    assert_same_bytes("index", GOLDEN "/index-v2.lcast");
}

static void the_golden_file_is_read(void **state)
{
    struct lc_error err = {""};

    (void)state;
    if (LC_IMAGE_MACHINE != 62)
        skip();
    struct lc_image *image = open_image(GOLDEN "/image-v2.lcast");
    assert_int_equal(lc_image_verify_content(image, &err), 0);
    struct lc_image_totals t = lc_image_count(image);
    assert_int_equal(t.files, 7);
    assert_int_equal(t.directories, 5);
    assert_int_equal(t.complete, 3);
    assert_int_equal(t.links, 4);
    assert_int_equal(t.absent, 1);
    assert_int_equal(t.made, 1);
    assert_int_equal(t.stat_only, 1);
    lc_image_close(image);
}

static void loaded_and_written_again_it_is_the_same(void **state)
{
    struct lc_tree tree = {0};
    struct lc_error err = {""};

    (void)state;
    lc_fixture_write("a");
    struct lc_image *image = open_image("a");
    assert_int_equal(lc_tree_load(&tree, image, &err), 0);
    write_tree(&tree, "b", NULL);
    assert_same_bytes("a", "b");
    lc_tree_free(&tree);
    lc_image_close(image);
}

static void an_index_alone_answers_the_same(void **state)
{
    struct lc_look look;
    size_t len;
    struct lc_error err;

    (void)state;
    lc_fixture_write("a");
    save_index("a", "index");
    char *bytes = slurp("index", &len);
    assert_null(lc_look_open(&look, bytes, len));
    assert_int_equal(lc_image_verify(&look, &err), 0);
    assert_int_not_equal(lc_look_find(&look, "/app/lib64/libx.so", 18), LC_NONE);
    free(bytes);
}

static void an_overlay_refers_to_its_base(void **state)
{
    struct lc_tree tree = {0};
    struct lc_error err = {""};
    char out[8];

    (void)state;
    lc_fixture_write("base");
    struct lc_image *base = open_image("base");
    assert_int_equal(lc_tree_load(&tree, base, &err), 0);
    struct lc_tree_entry *node = lc_tree_find(&tree, "/app/twin");
    assert_int_equal(lc_tree_entry_set_bytes(node, "changed", 7), 0);
    write_tree(&tree, "c", base);
    lc_tree_free(&tree);
    lc_image_close(base);

    struct lc_image *over = open_image("c");
    assert_non_null(over->base);
    const struct lc_inode *tool =
        lc_look_inode(&over->look, lc_look_find(&over->look, "/app/bin/tool", 13));
    const struct lc_inode *twin =
        lc_look_inode(&over->look, lc_look_find(&over->look, "/app/twin", 9));
    assert_int_equal(lc_image_read(over, tool, out, 8, 2), 0);
    assert_memory_equal(out, "/bin/sh\n", 8);
    assert_int_equal(lc_image_read(over, twin, out, 7, 0), 0);
    assert_memory_equal(out, "changed", 7);
    assert_int_equal(lc_image_verify_content(over, &err), 0);
    assert_true(over->memory.len < 24 * 1024);
    lc_image_close(over);

    unlink("base");
    assert_null(lc_image_open("c", &err));
    assert_non_null(strstr(err.text, "cannot open image"));
}

/* A file was replaced while the tree was looked at, and its number given to another one. */
static void a_number_that_was_given_away_is_no_hard_link(void **state)
{
    struct lc_error err = {""};
    char out[8];

    (void)state;
    for (uint32_t links = 1; links <= 2; links++) {
        struct lc_tree tree = {0};
        lc_fixture_tree(&tree);
        struct lc_tree_entry *old = lc_tree_find(&tree, "/app/twin");
        struct lc_tree_entry *new = lc_tree_find(&tree, "/app/secret");
        assert_int_equal(lc_tree_entry_set_bytes(new, "elsewhere", 9), 0);
        new->stat.ino = old->stat.ino;
        old->stat.nlink = new->stat.nlink = links;
        write_tree(&tree, "a", NULL);
        lc_tree_free(&tree);
        struct lc_image *image = open_image("a");
        const struct lc_inode *inode =
            lc_look_inode(&image->look, lc_look_find(&image->look, "/app/secret", 11));
        assert_int_equal(lc_image_read(image, inode, out, 8, 0), 0);
        assert_memory_equal(out, "elsewher", 8);
        inode = lc_look_inode(&image->look, lc_look_find(&image->look, "/app/twin", 9));
        assert_int_equal(lc_image_read(image, inode, out, 8, 0), 0);
        assert_memory_equal(out, "#!/bin/s", 8);
        assert_int_equal(lc_image_verify_content(image, &err), 0);
        lc_image_close(image);
    }
}

static void assert_content(const struct lc_image *image, const char *path, const char *want)
{
    const struct lc_inode *inode =
        lc_look_inode(&image->look, lc_look_find(&image->look, path, (uint16_t)strlen(path)));
    char out[64];

    assert_non_null(inode);
    assert_int_equal(inode->size, strlen(want));
    assert_int_equal(lc_image_read(image, inode, out, strlen(want), 0), 0);
    assert_memory_equal(out, want, strlen(want));
}

/* The first name, in the order of paths, of one inode: the second was read. With one link they are
 * one inode by a bind mount. */
static void content_belongs_to_all_names(void **state)
{
    (void)state;
    for (uint32_t links = 1; links <= 2; links++) {
        struct lc_tree tree = {0};
        lc_fixture_tree(&tree);
        struct lc_tree_entry *first = lc_tree_find(&tree, "/app/bin/tool");
        first->source = LC_SOURCE_NONE;
        first->stat.nlink = lc_tree_find(&tree, "/app/hard")->stat.nlink = links;
        write_tree(&tree, "a", NULL);
        lc_tree_free(&tree);
        struct lc_image *image = open_image("a");
        assert_content(image, "/app/hard", "#!/bin/sh\n");
        assert_content(image, "/app/bin/tool", "#!/bin/sh\n");
        lc_image_close(image);
    }
}

static void file_write(const char *name, const char *text)
{
    FILE *f = fopen(name, "w");

    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

/* The file and all directories above it, as they are now. */
static void tree_add(struct lc_tree *tree, const char *name)
{
    char path[128];
    struct stat st;

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    for (char *end = path + strlen(path); end; end = strrchr(path, '/')) {
        *end = '\0';
        const char *at = path[0] ? path : "/";
        assert_int_equal(lstat(at, &st), 0);
        lc_tree_entry_set_stat(lc_tree_entry_make(tree, at), &st);
    }
}

static void a_name_of_a_replaced_file_keeps_its_own_content(void **state)
{
    const char *const name[] = {"x", "y", "z"};
    char path[128];
    struct lc_tree tree = {0};

    (void)state;
    file_write("x", "old");
    assert_int_equal(link("x", "y"), 0);
    assert_int_equal(link("x", "z"), 0);
    for (int i = 0; i < 3; i++)
        tree_add(&tree, name[i]);
    file_write("hole", "replaced");
    assert_int_equal(rename("hole", "x"), 0);
    write_tree(&tree, "base", NULL);
    lc_tree_free(&tree);
    struct lc_image *image = open_image("base");
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof(path), "%s/%s", dir, name[i]);
        assert_content(image, path, i == 0 ? "replaced" : "old");
    }
    lc_image_close(image);
}

static void a_changed_base_is_noticed(void **state)
{
    struct lc_tree tree = {0}, other = {0};
    struct lc_error err = {""};

    (void)state;
    lc_fixture_write("base");
    struct lc_image *base = open_image("base");
    assert_int_equal(lc_tree_load(&tree, base, &err), 0);
    write_tree(&tree, "c", base);
    lc_fixture_tree(&other);
    lc_tree_entry_set_bytes(lc_tree_find(&other, "/app/twin"), "x", 1);
    write_tree(&other, "base", NULL);
    assert_null(lc_image_open("c", &err));
    assert_int_equal(errno, EBADMSG);
    assert_non_null(strstr(err.text, "has changed"));
    lc_tree_free(&tree);
    lc_tree_free(&other);
    lc_image_close(base);
}

static void content_that_changed_is_named(void **state)
{
    struct lc_error err = {""};

    (void)state;
    lc_fixture_write("a");
    int fd = open("a", O_RDWR);
    assert_int_equal(pwrite(fd, "X", 1, LC_IMAGE_PAGE), 1);
    close(fd);
    struct lc_image *image = open_image("a");
    assert_int_equal(lc_image_verify_content(image, &err), -1);
    assert_non_null(strstr(err.text, "damaged"));
    lc_image_close(image);
}

static void orphans_and_children_of_links_are_not_written(void **state)
{
    struct lc_tree tree = {0};

    (void)state;
    lc_fixture_tree(&tree);
    lc_tree_entry_set_absent(lc_tree_entry_make(&tree, "/no/parent"), ENOENT);
    lc_tree_entry_set_absent(lc_tree_entry_make(&tree, "/app/lib/through-a-link"), ENOENT);
    lc_tree_entry_set_absent(lc_tree_entry_make(&tree, "/app/none/below"), ENOENT);
    write_tree(&tree, "b", NULL);
    struct lc_image *image = open_image("b");
    assert_int_equal(lc_look_find(&image->look, "/no/parent", 10), LC_NONE);
    assert_int_equal(lc_look_find(&image->look, "/app/lib/through-a-link", 23), LC_NONE);
    assert_int_not_equal(lc_look_find(&image->look, "/app/none/below", 15), LC_NONE);
    lc_image_close(image);
    lc_tree_free(&tree);
}

static void two_answers_to_one_search_are_none(void **state)
{
    struct lc_tree tree = {0};

    (void)state;
    lc_fixture_tree(&tree);
    lc_tree_search(&tree, 0, 0, "/app/bin/tool", "libx.so", "/elsewhere/libx.so");
    lc_tree_search(&tree, 0, 0, "/app/bin/tool", "libx.so", "/app/lib64/libx.so");
    lc_tree_search(&tree, 0, 5, "/app/bin/tool", "libx.so", "/app/other/libx.so");
    write_tree(&tree, "b", NULL);
    struct lc_image *image = open_image("b");
    assert_int_equal(lc_look_search(&image->look, 0, 0, "/app/bin/tool", "libx.so"), LC_NONE);
    assert_int_not_equal(lc_look_search(&image->look, 0, 5, "/app/bin/tool", "libx.so"), LC_NONE);
    lc_image_close(image);
    lc_tree_free(&tree);
}

static void an_unwritable_place_leaves_nothing(void **state)
{
    struct lc_tree tree = {0};
    struct lc_write how = {.file = "no/such/dir/a"};
    struct lc_written did;
    struct lc_error err = {""};

    (void)state;
    lc_fixture_tree(&tree);
    assert_int_equal(lc_image_write(&tree, &how, &did, &err), -1);
    assert_non_null(strstr(err.text, "cannot write 'no/such/dir/a'"));
    lc_tree_free(&tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_the_golden_file),
        cmocka_unit_test(the_golden_file_is_read),
        cmocka_unit_test(loaded_and_written_again_it_is_the_same),
        cmocka_unit_test(an_index_alone_answers_the_same),
        cmocka_unit_test(an_overlay_refers_to_its_base),
        cmocka_unit_test(a_number_that_was_given_away_is_no_hard_link),
        cmocka_unit_test(content_belongs_to_all_names),
        cmocka_unit_test(a_name_of_a_replaced_file_keeps_its_own_content),
        cmocka_unit_test(a_changed_base_is_noticed),
        cmocka_unit_test(content_that_changed_is_named),
        cmocka_unit_test(orphans_and_children_of_links_are_not_written),
        cmocka_unit_test(two_answers_to_one_search_are_none),
        cmocka_unit_test(an_unwritable_place_leaves_nothing),
    };
    return cmocka_run_group_tests_name("image/write", tests, set_up, tear_down);
}
