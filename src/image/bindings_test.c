/* SPDX-License-Identifier: MIT */
/* bindings_test.c - a bindings section: objects are found by content, sections are merged, damaged
 * ones are refused */
#include "util/test.h"

#include <stdlib.h>
#include <string.h>

#include "image/bindings_build.h"
#include "image/fixture.h"
#include "image/tree.h"

static struct lc_tree tree;
static struct lc_bindings b;

static int set_up(void **state)
{
    (void)state;
    lc_fixture_tree(&tree);
    assert_true(lc_bindings_open(&b, tree.bindings.data, tree.bindings.len));
    assert_null(lc_bindings_verify(&b));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    lc_tree_free(&tree);
    return 0;
}

static void an_object_is_found_by_what_it_is(void **state)
{
    uint64_t program[2] = {1, 2}, library[2] = {5, 6}, none[2] = {1, 3};

    (void)state;
    assert_int_equal(lc_bindings_by_content(&b, program, 3, 4), 0);
    assert_int_equal(lc_bindings_by_content(&b, library, 7, 0), 1);
    assert_int_equal(lc_bindings_by_content(&b, none, 3, 4), LC_NONE);
    assert_int_equal(lc_bindings_by_content(&b, program, 3, 5), LC_NONE); /* another build-id */
    assert_int_equal(lc_bindings_by_content(&b, program, 2, 4), LC_NONE); /* another .dynamic */
    assert_int_equal(lc_bindings_by_build(&b, 3, 4), 0);
    assert_int_equal(lc_bindings_by_build(&b, 7, 0), LC_NONE); /* no build-id */
    assert_int_equal(lc_bindings_by_build(&b, 3, 5), LC_NONE);
}

/* Finish the build into 'out' and open the section. */
static void section_finish(struct lc_bind_build *build, struct lc_buf *out,
                           struct lc_bindings *opened)
{
    assert_int_equal(lc_bind_build_finish(build, out), 0);
    lc_bind_build_free(build);
    assert_true(lc_bindings_open(opened, out->data, out->len));
}

static void two_contents_of_one_build_id_are_not_told_apart(void **state)
{
    struct lc_bind_build build = {0};
    struct lc_bind_object twin = {{8, 9}, 3, 4, .extent = 0x3000};
    struct lc_buf out = {0};
    struct lc_bindings two;

    (void)state;
    lc_bind_build_load(&build, &b);
    assert_int_equal(lc_bind_build_object(&build, &twin, "/other/tool"), 2);
    section_finish(&build, &out, &two);
    assert_null(lc_bindings_verify(&two));
    assert_int_equal(lc_bindings_by_build(&two, 3, 4), LC_NONE);
    assert_int_equal(lc_bindings_by_content(&two, twin.content, 3, 4), 2);
    lc_buf_free(&out);
}

static void uniting_with_itself_changes_nothing(void **state)
{
    struct lc_bind_build build = {0};
    struct lc_buf out = {0};
    struct lc_bindings united;

    (void)state;
    lc_bind_build_load(&build, &b);
    lc_bind_build_load(&build, &b);
    section_finish(&build, &out, &united);
    assert_int_equal(out.len, tree.bindings.len);
    assert_memory_equal(out.data, tree.bindings.data, out.len);
    lc_buf_free(&out);
}

/* A section with one program that binds to two libraries, its objects numbered from 'first' on. */
static void build_three(struct lc_buf *out, uint32_t first)
{
    static const char *const path[] = {"/app/tool", "/app/a.so", "/app/b.so"};
    struct lc_bind_build build = {0};
    uint32_t number[3];

    for (uint32_t i = first; i < first + 3; i++) {
        struct lc_bind_object o = {{i % 3 + 1, 2}, 3 + i % 3, 4, .extent = 0x3000, .rows = 9};
        number[i % 3] = lc_bind_build_object(&build, &o, path[i % 3]);
    }
    uint32_t low = number[1] < number[2] ? 1 : 2, high = 3 - low;
    uint32_t words[] = {
        number[low],   1, number[high], 1,         0x2000 + low, 0x1500 + low, 0x2000 + high,
        0x1500 + high, 2, 0x2010,       number[1], 0x1600};
    struct lc_bind_plan plan = {
        .object = number[0], .runs = 2, .bindings = 2, .leftovers = 1, .ifuncs = 1};
    struct lc_bind_member all[] = {{number[0], lc_bind_build_plan(&build, &plan, words)},
                                   {number[1], LC_NONE},
                                   {number[2], LC_NONE}};
    lc_bind_build_group(
        &build,
        &(struct lc_bind_group){0, .root = number[0], .count = 3, .flags = LC_BIND_GROUP_START},
        all);
    assert_int_equal(lc_bind_build_finish(&build, out), 0);
    lc_bind_build_free(&build);
}

static void objects_that_came_in_another_order_make_no_other_plan(void **state)
{
    struct lc_buf section[3] = {0}, out = {0};
    struct lc_bind_build build = {0};
    struct lc_bindings from, united;

    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        build_three(&section[i], i);
        assert_true(lc_bindings_open(&from, section[i].data, section[i].len));
        assert_null(lc_bindings_verify(&from));
        lc_bind_build_load(&build, &from);
    }
    section_finish(&build, &out, &united);
    assert_int_equal(out.len, section[0].len);
    assert_memory_equal(out.data, section[0].data, out.len);
    lc_buf_free(&out);
    for (uint32_t i = 0; i < 3; i++)
        lc_buf_free(&section[i]);
}

static void two_answers_are_none(void **state)
{
    struct lc_bind_build build = {0};
    uint32_t words[] = {LC_BIND_SELF, 1, 0x2000, 0x11};
    struct lc_bind_plan other = {.runs = 1, .bindings = 1};
    struct lc_buf out = {0};
    struct lc_bindings two;

    (void)state;
    lc_bind_build_load(&build, &b);
    struct lc_bind_member both[] = {{0, lc_bind_build_plan(&build, &other, words)}, {1, LC_NONE}};
    lc_bind_build_group(
        &build, &(struct lc_bind_group){0, .root = 0, .count = 2, .flags = LC_BIND_GROUP_START},
        both);
    section_finish(&build, &out, &two);
    assert_int_equal(two.member[two.group[0].first].plan, LC_NONE);
    assert_null(lc_bindings_verify(&two));
    assert_int_equal(two.head->plans, 0); /* plans without a user are removed */
    assert_int_equal(two.head->words, 0);
    lc_buf_free(&out);
}

static void objects_of_one_name_are_one_name_set(void **state)
{
    struct lc_bind_build build = {0};
    struct lc_bind_object other = {{8, 9}, 3, 5, .extent = 0x3000};
    struct lc_buf out = {0};
    struct lc_bindings two;

    (void)state;
    lc_bind_build_load(&build, &b);
    lc_bind_build_object(&build, &other, "/other/libx.so");
    lc_bind_build_name(&build, 2, "libx.so");
    section_finish(&build, &out, &two);
    assert_int_equal(two.object[0].name_set, 0);
    assert_int_not_equal(two.object[1].name_set, 0);
    assert_int_equal(two.object[1].name_set, two.object[2].name_set);
    lc_buf_free(&out);
}

/* x86-64 with pages of 4 KiB is 0, as in images of older versions; all others differ. */
static void a_system_is_a_machine_and_its_page_size(void **state)
{
    enum { X86_64 = 62, AARCH64 = 183 };
    static const uint64_t page[] = {4096, 16384, 65536};

    (void)state;
    assert_int_equal(lc_bindings_system(X86_64, 4096), 0);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(lc_bindings_system(AARCH64, page[i]), AARCH64 << 8 | (12 + 2 * i));
        assert_int_not_equal(lc_bindings_system(AARCH64, page[i]),
                             lc_bindings_system(X86_64, page[i]));
    }
}

static void bindings_of_another_system_are_not_united(void **state)
{
    struct lc_bind_build build = {0};
    struct lc_buf out = {0}, both = {0};
    struct lc_bindings other, united;

    (void)state;
    lc_bind_build_load(&build, &b);
    build.system = 1;
    section_finish(&build, &out, &other);
    assert_int_equal(other.head->system, 1);
    build = (struct lc_bind_build){0};
    lc_bind_build_load(&build, &other);
    lc_bind_build_object(&build, &(struct lc_bind_object){{8, 9}, 3, 5, .extent = 0x3000}, "/new");
    lc_bind_build_load(&build, &b); /* nothing of it is added */
    section_finish(&build, &both, &united);
    assert_int_equal(united.head->system, 1);
    assert_int_equal(united.head->objects, other.head->objects + 1);
    lc_buf_free(&out);
    lc_buf_free(&both);
}

static bool is_refused(const void *section, struct lc_bindings *opened)
{
    return !lc_bindings_open(opened, section, tree.bindings.len) || lc_bindings_verify(opened);
}

static bool is_sealed(size_t word)
{
    const char *at = tree.bindings.data + 4 * word;

    return (at >= (const char *)b.object && at < (const char *)b.slot) ||
           (at >= (const char *)b.word && at < (const char *)(b.word + b.head->words));
}

/* Changing any sealed word breaks a seal. */
static void every_word_is_under_a_seal(void **state)
{
    size_t words = tree.bindings.len / 4, sealed = 0;
    uint32_t *copy = malloc(tree.bindings.len);
    struct lc_bindings lied;

    (void)state;
    assert_non_null(copy);
    for (size_t i = 0; i < words; i++)
        for (int bit = 0; bit < 32 && is_sealed(i); bit++) {
            memcpy(copy, tree.bindings.data, tree.bindings.len);
            copy[i] ^= 1u << bit;
            sealed++;
            assert_true(is_refused(copy, &lied));
        }
    assert_true(sealed > words * 16);
    free(copy);
}

static void another_version_is_no_bindings(void **state)
{
    uint32_t head[10] = {LC_BIND_VERSION};

    (void)state;
    assert_true(lc_bindings_is_known(head, sizeof(head)));
    head[0] = 1;
    assert_false(lc_bindings_is_known(head, sizeof(head)));
}

/* Change each field and seal the section again: whatever then passes the complete check refers only
 * to objects, members and words inside the section, and an object with a changed fingerprint is not
 * found. */
static void every_field_may_lie(void **state)
{
    static const uint32_t lies[] = {0, 1, 2, 7, 0x7fffffff, 0x80000000, 0xfffffffc, 0xffffffff};
    size_t words = tree.bindings.len / 4, refused = 0;
    uint32_t *copy = malloc(tree.bindings.len);
    struct lc_bindings lied;

    (void)state;
    assert_non_null(copy);
    for (size_t i = 0; i < words; i++)
        for (size_t k = 0; k < sizeof(lies) / sizeof(*lies); k++) {
            memcpy(copy, tree.bindings.data, tree.bindings.len);
            copy[i] = lies[k];
            lc_bindings_seal(copy, tree.bindings.len);
            if (is_refused(copy, &lied)) {
                refused++;
                continue;
            }
            for (uint32_t p = 0; p < lied.head->plans; p++) {
                struct lc_bind_parts w;
                assert_true(lc_bindings_plan_parts(&lied, &lied.plan[p], &w));
            }
        }
    assert_true(refused > words * 2);
    free(copy);
}

static void cut_short_is_refused(void **state)
{
    struct lc_bindings cut;

    (void)state;
    for (size_t len = 0; len < tree.bindings.len; len += 8) {
        char *copy = malloc(len ? len : 1);
        assert_non_null(copy);
        memcpy(copy, tree.bindings.data, len);
        assert_false(lc_bindings_open(&cut, copy, len));
        free(copy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_object_is_found_by_what_it_is),
        cmocka_unit_test(two_contents_of_one_build_id_are_not_told_apart),
        cmocka_unit_test(uniting_with_itself_changes_nothing),
        cmocka_unit_test(objects_that_came_in_another_order_make_no_other_plan),
        cmocka_unit_test(two_answers_are_none),
        cmocka_unit_test(objects_of_one_name_are_one_name_set),
        cmocka_unit_test(a_system_is_a_machine_and_its_page_size),
        cmocka_unit_test(bindings_of_another_system_are_not_united),
        cmocka_unit_test(every_word_is_under_a_seal),
        cmocka_unit_test(another_version_is_no_bindings),
        cmocka_unit_test(every_field_may_lie),
        cmocka_unit_test(cut_short_is_refused),
    };
    return cmocka_run_group_tests_name("image/bindings", tests, set_up, tear_down);
}
