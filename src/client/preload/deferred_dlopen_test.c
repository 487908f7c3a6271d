/* SPDX-License-Identifier: MIT */
/* deferred_dlopen_test.c - ld.so is told of deferred dlopens when it makes a difference, and of as
 * many as the program made */
#include "util/test.h"

#include <dlfcn.h>
#include <string.h>

#include "client/preload/deferred_dlopen.h"
#include "client/preload/next.h"
#include "node/arch.h"
#include "image/hash.h"

enum { OBJECTS = 2 };

static struct lc_deferred_queue queue;
static struct lc_dlopen_notes notes;
static struct lc_partial_object partial[OBJECTS];
static struct lc_group_opening opening;
static struct link_map root, map[OBJECTS];
static int counted[OBJECTS]; /* by ld.so, as far as it was called */
static char calls[64];       /* objects that ld.so opened, as "ab" */
static uintptr_t stack[4];   /* return addresses; the stack grows towards [0] */

/* The C library's functions. */
static void *real_dlopen(const char *file, int flags)
{
    for (int i = 0; i < OBJECTS; i++)
        if (strcmp(file, map[i].l_name) == 0 && flags == (RTLD_LAZY | RTLD_NOLOAD)) {
            counted[i]++;
            strncat(calls, file + 1, 1);
            return &map[i];
        }
    return NULL;
}

static int real_dlclose(void *handle)
{
    counted[(struct link_map *)handle - map]--;
    return 0;
}

static char *real_dlerror(void)
{
    return NULL;
}

void *lc_next(const char *name)
{
    return strcmp(name, "dlopen") == 0    ? (void *)real_dlopen
           : strcmp(name, "dlclose") == 0 ? (void *)real_dlclose
                                          : (void *)real_dlerror;
}

void *lc_definition_in(const struct link_map *object, const char *name)
{
    return object == &map[0] && strcmp(name, "own") == 0 ? calls : NULL;
}

/* Two objects of a group whose dlopen had its return address at stack[1]. */
static int set_up(void **state)
{
    static char name[OBJECTS][4] = {"/a", "/b"};

    (void)state;
    memset(&queue, 0, sizeof(queue));
    memset(partial, 0, sizeof(partial));
    memset(counted, 0, sizeof(counted));
    memset(calls, 0, sizeof(calls));
    stack[1] = 0x77;
    opening = (struct lc_group_opening){{lc_arch_thread(), (uintptr_t)&stack[1], 0x77}, 0};
    for (int i = 0; i < OBJECTS; i++) {
        map[i].l_name = name[i];
        partial[i] = (struct lc_partial_object){
            .map = &map[i], .root = &root, .opening = &opening, .path = lc_hash(name[i], 2)};
    }
    notes = (struct lc_dlopen_notes){.partial = partial, .partials = OBJECTS};
    return 0;
}

/* Called from where the group's dlopen was called, after it. */
static void *open_file(const char *file, int flags)
{
    return lc_deferred_dlopen_open(&queue, &notes, file, flags, (uintptr_t)&stack[1]);
}

static bool close_object(int i)
{
    return lc_deferred_dlopen_close(&queue, &notes, &map[i]);
}

static void deferred_calls_make(const void *of)
{
    lc_deferred_dlopen_make(&queue, &notes, of);
}

static void a_handle_is_given_without_ld_so(void **state)
{
    (void)state;
    assert_ptr_equal(open_file("/a", RTLD_NOW), &map[0]);
    assert_ptr_equal(open_file("/a", RTLD_LAZY | RTLD_NOLOAD), &map[0]);
    assert_int_equal(partial[0].deferred, 2);
    assert_string_equal(calls, "");
}

static void closing_cancels_what_was_deferred_and_no_more(void **state)
{
    (void)state;
    assert_false(close_object(0));
    open_file("/a", RTLD_NOW);
    assert_true(close_object(0));
    assert_false(close_object(0));
    deferred_calls_make(&root);
    assert_string_equal(calls, "");
}

static void before_the_root_is_closed_all_calls_are_made_in_their_order(void **state)
{
    (void)state;
    open_file("/b", RTLD_NOW);
    open_file("/a", RTLD_NOW);
    open_file("/b", RTLD_NOW);
    deferred_calls_make(&map[0]); /* another root */
    assert_string_equal(calls, "");
    deferred_calls_make(&root);
    assert_string_equal(calls, "bba");
    assert_int_equal(counted[0], 1);
    assert_int_equal(counted[1], 2);
    assert_false(close_object(1)); /* is ld.so's now */
    assert_null(open_file("/a", RTLD_NOW));
}

static void symbols_of_the_object_itself_are_found(void **state)
{
    (void)state;
    open_file("/a", RTLD_NOW);
    assert_ptr_equal(lc_deferred_dlopen_symbol(&queue, &notes, &map[0], "own"), calls);
    assert_string_equal(calls, "");
    assert_null(lc_deferred_dlopen_symbol(&queue, &notes, &map[0], "other"));
    assert_string_equal(calls, "a");
    assert_null(lc_deferred_dlopen_symbol(&queue, &notes, &map[0], "own")); /* is ld.so's now */
}

static void a_search_by_version_is_ld_sos(void **state)
{
    (void)state;
    open_file("/b", RTLD_NOW);
    assert_null(lc_deferred_dlopen_symbol(&queue, &notes, &map[1], NULL));
    assert_string_equal(calls, "b");
}

static void other_flags_and_files_are_ld_sos(void **state)
{
    (void)state;
    assert_null(open_file("/a", RTLD_NOW | RTLD_GLOBAL));
    assert_null(open_file("/a", RTLD_NOW | RTLD_NODELETE));
    assert_null(open_file("/c", RTLD_NOW));
    partial[1].opening = NULL; /* the order would depend on it */
    assert_null(open_file("/b", RTLD_NOW));
    notes.partials = 0;
    assert_null(open_file("/a", RTLD_NOW));
}

static void an_unloaded_object_is_ld_sos(void **state)
{
    (void)state;
    partial[0].map = NULL;
    assert_null(open_file("/a", RTLD_NOW));
    assert_int_equal(partial[0].deferred, 0);
}

static void another_object_with_the_same_hash_is_not_taken(void **state)
{
    (void)state;
    partial[0].path = lc_hash("/x", 2);
    assert_null(open_file("/x", RTLD_NOW));
    assert_int_equal(partial[0].deferred, 0);
}

/* A constructor of the group calls dlopen: its frame is below that of the group's dlopen. */
static void nothing_is_deferred_before_the_group_is_initialised(void **state)
{
    (void)state;
    assert_null(lc_deferred_dlopen_open(&queue, &notes, "/a", RTLD_NOW, (uintptr_t)&stack[0]));
    stack[1] = 0x78; /* something else was called from there since, where the stack shows that */
    void *handle = lc_deferred_dlopen_open(&queue, &notes, "/a", RTLD_NOW, (uintptr_t)&stack[0]);
    assert_int_equal(handle != NULL, LC_ARCH_RETURN_IS_ON_STACK);
}

static void another_thread_does_not_know_whether_the_group_is_initialised(void **state)
{
    (void)state;
    opening.call.thread++;
    assert_null(open_file("/a", RTLD_NOW));
    opening.has_returned = 1;
    assert_non_null(open_file("/a", RTLD_NOW));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup(name, set_up)
        TEST(a_handle_is_given_without_ld_so),
        TEST(closing_cancels_what_was_deferred_and_no_more),
        TEST(before_the_root_is_closed_all_calls_are_made_in_their_order),
        TEST(symbols_of_the_object_itself_are_found),
        TEST(a_search_by_version_is_ld_sos),
        TEST(other_flags_and_files_are_ld_sos),
        TEST(an_unloaded_object_is_ld_sos),
        TEST(another_object_with_the_same_hash_is_not_taken),
        TEST(nothing_is_deferred_before_the_group_is_initialised),
        TEST(another_thread_does_not_know_whether_the_group_is_initialised),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
