/* SPDX-License-Identifier: MIT */
/* dependency_root_file_test.c - the system's ld.so opens the file of a dependency root */
#include "util/test.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "client/preload/dependency_root.h"
#include "node/dynamic_tags.h"

/* What a module needs, in memory of our own: libc and the maths library. */
static struct link_map model;
static ElfW(Dyn) dynamic[4];
static const char strings[] = "\0libm.so.6\0libc.so.6";

static int set_up(void **state)
{
    (void)state;
    dynamic[0] = (ElfW(Dyn)){DT_NEEDED, {1}};
    dynamic[1] = (ElfW(Dyn)){DT_NEEDED, {11}};
    dynamic[2] = (ElfW(Dyn)){DT_STRTAB, {(uintptr_t)strings}};
    model.l_ld = dynamic;
    return 0;
}

static struct link_map *open_root(const char *first)
{
    char path[64];
    int fd = lc_dependency_root_file(&model, "root-0", first);

    assert_true(fd >= 0);
    snprintf(path, sizeof(path), LC_ROOT_PATH_PREFIX "%d", fd);
    struct link_map *root = dlopen(path, RTLD_LAZY);
    if (!root)
        fail_msg("%s", dlerror());
    close(fd);
    return root;
}

/* The names it needs, as "a b ". */
static const char *needed_names(const struct link_map *root)
{
    static char text[256];
    const char *names = NULL;

    text[0] = '\0';
    for (const ElfW(Dyn) *d = root->l_ld; d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_STRTAB)
            names = lc_tag_address(root, d->d_un.d_ptr);
    for (const ElfW(Dyn) *d = root->l_ld; d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_NEEDED)
            snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s ",
                     names + d->d_un.d_val);
    return text;
}

static void a_root_needs_what_its_model_needs(void **state)
{
    (void)state;
    struct link_map *root = open_root(NULL);
    assert_string_equal(needed_names(root), "libm.so.6 libc.so.6 ");
    assert_string_equal(lc_tag_text(root, DT_SONAME), "root-0");
    assert_non_null(dlsym(root, "cos"));
    assert_null(dlsym(root, "no_such_function"));
    assert_int_equal(dlclose(root), 0);
}

static void another_object_can_come_first(void **state)
{
    (void)state;
    struct link_map *root = open_root("libdl.so.2");
    assert_string_equal(needed_names(root), "libdl.so.2 libm.so.6 libc.so.6 ");
    dlclose(root);
}

static void a_model_without_needs_gives_no_root(void **state)
{
    (void)state;
    dynamic[0].d_tag = dynamic[1].d_tag = DT_DEBUG;
    assert_true(lc_dependency_root_file(&model, "root-0", NULL) < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_root_needs_what_its_model_needs, set_up),
        cmocka_unit_test_setup(another_object_can_come_first, set_up),
        cmocka_unit_test_setup(a_model_without_needs_gives_no_root, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
