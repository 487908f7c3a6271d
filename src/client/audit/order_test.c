/* SPDX-License-Identifier: MIT */
/* order_test.c - ld.so's search for a bare name, on a disk that is only a list */
#include "util/test.h"

#include <stdio.h>
#include <string.h>

#include "client/audit/order.h"

struct file {
    const char *path;
    enum lc_there there;
};

/* What is not listed is not there. */
static enum lc_there there(void *files, const char *path)
{
    for (const struct file *f = files; f->path; f++)
        if (strcmp(f->path, path) == 0)
            return f->there;
    return LC_THERE_NOTHING;
}

static bool known(void *files, const char *path)
{
    enum lc_there t = there(files, path);

    return t != LC_THERE_NEW && t != LC_THERE_UNKNOWN;
}

/* An object with one tag that names a path, or with flags. */
struct loaded {
    ElfW(Dyn) dynamic[3];
    struct link_map map;
    struct lc_object object;
    char strings[200];
};

static void load(struct loaded *l, const char *path, ElfW(Sxword) tag, const char *list)
{
    memset(l, 0, sizeof(*l));
    snprintf(l->strings + 1, sizeof(l->strings) - 1, "%s", list ? list : "");
    l->dynamic[0].d_tag = DT_STRTAB;
    l->dynamic[0].d_un.d_ptr = (uintptr_t)l->strings;
    l->dynamic[1].d_tag = tag;
    l->dynamic[1].d_un.d_val = 1;
    l->map.l_ld = l->dynamic;
    l->object = (struct lc_object){.path = path,
                                   .map = &l->map,
                                   .has_rpath = tag == DT_RPATH,
                                   .has_runpath = tag == DT_RUNPATH};
}

static struct lc_objects all;
static struct loaded program, library;
static struct lc_order_memory memory;
static const struct lc_ld_cache no_cache = {"", 0};
static const char *const defaults[] = {"/lib", "/usr/lib", NULL};
static struct lc_order order;

/* The library, loaded by the program, asks for libx.so. */
static struct lc_order *ask(struct file *files, const char *library_path)
{
    all.program = &program.object;
    library.object.loader = &program.object;
    memset(&memory, 0, sizeof(memory));
    order = (struct lc_order){.all = &all,
                              .loader = &library.object,
                              .library_path = library_path,
                              .name = "libx.so",
                              .there = there,
                              .known = known,
                              .files = files,
                              .memory = &memory,
                              .cache = &no_cache,
                              .directory = defaults};
    return &order;
}

#define AT(path)                \
    {                           \
        path, LC_THERE_RECORDED \
    }
#define END                    \
    {                          \
        NULL, LC_THERE_NOTHING \
    }
#define FILES(...) ((struct file[]){__VA_ARGS__, END})

static const char *find(struct file *files, const char *library_path)
{
    switch (lc_order_find(ask(files, library_path))) {
    case LC_ORDER_FOUND:
        return order.path;
    case LC_ORDER_NOWHERE:
        return "nowhere";
    default:
        return "unknown";
    }
}

static void rpath_before_library_path_before_runpath(void **state)
{
    struct file *both = FILES(AT("/r"), AT("/r/libx.so"), AT("/e"), AT("/e/libx.so"));

    (void)state;
    load(&program, "/bin/p", DT_NULL, NULL);
    load(&library, "/l/liby.so", DT_RPATH, "/r");
    assert_string_equal(find(both, "/e"), "/r/libx.so");
    load(&library, "/l/liby.so", DT_RUNPATH, "/r");
    assert_string_equal(find(both, "/e"), "/e/libx.so");
    assert_string_equal(find(both, ""), "/r/libx.so");
    assert_string_equal(find(both, "/none:/r;/e"), "/r/libx.so");
}

static void a_runpath_ends_the_rpath_of_others(void **state)
{
    struct file *files = FILES(AT("/r"), AT("/r/libx.so"));

    (void)state;
    load(&program, "/bin/p", DT_RPATH, "/r");
    load(&library, "/l/liby.so", DT_NULL, NULL);
    assert_string_equal(find(files, ""), "/r/libx.so");
    load(&library, "/l/liby.so", DT_RUNPATH, "/none");
    assert_string_equal(find(files, ""), "nowhere");
}

static void origin_is_the_owner_s_directory_and_other_tokens_are_left(void **state)
{
    struct file *files = FILES(AT("/l/../k"), AT("/l/../k/libx.so"));

    (void)state;
    load(&program, "/bin/p", DT_NULL, NULL);
    load(&library, "/l/liby.so", DT_RPATH, "$ORIGIN/../k//");
    assert_string_equal(find(files, ""), "/l/../k/libx.so");
    load(&library, "/l/liby.so", DT_RPATH, "${ORIGIN}/../k");
    assert_string_equal(find(files, ""), "/l/../k/libx.so");
    load(&library, "/l/liby.so", DT_RPATH, "/$LIB");
    assert_string_equal(find(files, ""), "unknown");
    load(&library, "/l/liby.so", DT_RPATH, "$ORIGINAL/../k");
    assert_string_equal(find(files, ""), "unknown");
    load(&library, "l/liby.so", DT_RPATH, "$ORIGIN/../k");
    assert_string_equal(find(files, ""), "unknown");
}

static void nowhere_only_if_all_is_known(void **state)
{
    (void)state;
    load(&program, "/bin/p", DT_NULL, NULL);
    load(&library, "/l/liby.so", DT_NULL, NULL);
    assert_string_equal(find(FILES(AT("/e")), "/e:"), "nowhere");
    assert_string_equal(find(FILES(AT("/e"), {"/e/libx.so", LC_THERE_UNKNOWN}), "/e"), "unknown");
    assert_string_equal(find(FILES(AT("/usr/lib"), AT("/usr/lib/libx.so")), ""), "unknown");
    ask(FILES(AT("/e")), "/e")->directory = NULL;
    assert_int_equal(lc_order_find(&order), LC_ORDER_UNKNOWN);
    ask(FILES(AT("/e")), "/e")->cache = NULL;
    assert_int_equal(lc_order_find(&order), LC_ORDER_UNKNOWN);
    load(&library, "/l/liby.so", DT_FLAGS_1, NULL);
    library.dynamic[1].d_un.d_val = DF_1_NODEFLIB;
    assert_string_equal(find(FILES(AT("/e")), "/e"), "unknown");
}

static void what_the_recording_did_not_see_is_found_too(void **state)
{
    (void)state;
    load(&program, "/bin/p", DT_NULL, NULL);
    load(&library, "/l/liby.so", DT_NULL, NULL);
    assert_string_equal(find(FILES({"/n", LC_THERE_NEW}, {"/n/libx.so", LC_THERE_NEW}), "/none:/n"),
                        "/n/libx.so");
}

static void variants_are_left_to_ld_so(void **state)
{
    (void)state;
    load(&program, "/bin/p", DT_NULL, NULL);
    load(&library, "/l/liby.so", DT_NULL, NULL);
    assert_string_equal(find(FILES(AT("/e"), AT("/e/glibc-hwcaps"), AT("/e/libx.so")), "/e"),
                        "unknown");
    assert_string_equal(find(FILES(AT("/e"), AT("/e/tls"), AT("/e/libx.so")), "/e"), "unknown");
}

static bool holds(struct file *files, const char *library_path, const char *result)
{
    ask(files, library_path)->result = result;
    return lc_order_holds(&order);
}

static void a_recorded_result_holds_until_something_comes_before_it(void **state)
{
    (void)state;
    load(&program, "/bin/p", DT_NULL, NULL);
    load(&library, "/l/liby.so", DT_NULL, NULL);
    assert_true(holds(FILES(AT("/a"), AT("/b"), AT("/b/libx.so")), "/a:/b", "/b/libx.so"));
    assert_false(holds(FILES(AT("/a"), {"/a/libx.so", LC_THERE_NEW}), "/a:/b", "/b/libx.so"));
    assert_true(holds(FILES(AT("/b"), {"/c/libx.so", LC_THERE_NEW}), "/b:/c", "/b/libx.so"));
    assert_true(holds(FILES(AT("/a")), "/a", "/cached/libx.so"));
    assert_false(holds(FILES(AT("/a"), AT("/a/tls"), {"/a/tls/libx.so", LC_THERE_NEW}), "/a:/b",
                       "/b/libx.so"));
    assert_true(holds(FILES(AT("/b")), "/b", "/b/glibc-hwcaps/x86-64-v3/libx.so"));
    assert_false(holds(FILES(AT("/b")), "/$LIB:/b", "/b/libx.so"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rpath_before_library_path_before_runpath),
        cmocka_unit_test(a_runpath_ends_the_rpath_of_others),
        cmocka_unit_test(origin_is_the_owner_s_directory_and_other_tokens_are_left),
        cmocka_unit_test(nowhere_only_if_all_is_known),
        cmocka_unit_test(what_the_recording_did_not_see_is_found_too),
        cmocka_unit_test(variants_are_left_to_ld_so),
        cmocka_unit_test(a_recorded_result_holds_until_something_comes_before_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
