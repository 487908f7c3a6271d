/* SPDX-License-Identifier: MIT */
/* layouts_test.c - our copies of the C library's layouts are those of this system's headers */
#include "util/test.h"

#include <dirent.h>
#include <fts.h>
#include <ftw.h>
#include <glob.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>

#include "client/preload/layouts.h"
#include "client/preload/shell.h"

#define SIZE(type, field) sizeof(((type *)NULL)->field)

#define TYPE(ours, theirs) {#theirs, 0, sizeof(theirs)},
#define FIELD(ours, field, theirs, their_field) \
    {#theirs "." #their_field, offsetof(theirs, their_field), SIZE(theirs, their_field)},
#define VALUE(ours, theirs) {#theirs, theirs, 0},

static void copies_are_as_in_the_headers(void **state)
{
    static const struct lc_layout theirs[] = {LC_LAYOUTS(TYPE, FIELD, VALUE)};
    size_t count;
    const struct lc_layout *ours = lc_layouts_ours(&count);

    (void)state;
    assert_int_equal(count, sizeof(theirs) / sizeof(*theirs));
    for (size_t i = 0; i < count; i++)
        if (ours[i].offset != theirs[i].offset || ours[i].size != theirs[i].size)
            fail_msg("%s is at %zu with %zu bytes, but %s at %zu with %zu", ours[i].name,
                     ours[i].offset, ours[i].size, theirs[i].name, theirs[i].offset,
                     theirs[i].size);
}

static void there_is_room_for_what_is_only_passed_on(void **state)
{
    (void)state;
    assert_true(LC_SPAWN_ACTIONS >= sizeof(posix_spawn_file_actions_t));
    assert_true(LC_SPAWN_ATTRIBUTES >= sizeof(posix_spawnattr_t));
    assert_true(LC_JUMP_BUFFER >= sizeof(__pthread_unwind_buf_t));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_are_as_in_the_headers),
        cmocka_unit_test(there_is_room_for_what_is_only_passed_on),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
