/* SPDX-License-Identifier: MIT */
/* replay_test.c - a program and its dlopens, as an auditor sees them, get their recorded bindings
 */
#include "util/test.h"

#include <dlfcn.h>

#include "client/bindings/replay.h"
#include "client/bindings/test_fixture.h"
#include "node/arch.h"
#include "node/bind_mode.h"

enum { PROGRAM, LIBRARY, MODULE, PLUGIN, RECORDED, FOREIGN = RECORDED, OBJECTS };

static struct fake_section section;
static struct fake_object object[OBJECTS];
static struct lc_replay r;
static struct lc_node node;
static struct lc_live live;
static struct lc_key key;
static struct lc_dlopen_notes notes;
static union {
    struct lc_root root;
    char bytes[sizeof(struct lc_root) + sizeof(struct lc_section)];
} contents;

/* The program comes with the library; the module is opened and needs the plugin. All bind to the
 * library, which binds to itself. */
static void make_section(void)
{
    static const uint32_t start[] = {PROGRAM, LIBRARY}, opened[] = {MODULE, LIBRARY, PLUGIN};
    struct lc_bind_scope_item scope[2] = {0};

    fake_section_make(&section);
    for (uint32_t i = 0; i < RECORDED; i++)
        fake_section_object(&section, i, &object[i], i == LIBRARY ? LC_BIND_SELF : LIBRARY);
    for (uint32_t i = 0; i < 2; i++)
        scope[i].identity = section.object[start[i]].identity;
    fake_section_group(&section, 0, LC_BIND_GROUP_START, 0, start, 2);
    fake_section_group(&section, 1, 0, lc_bindings_scope_hash(scope, 2), opened, 3);
    lc_bindings_seal(&section, sizeof(section));
}

static const uint64_t page_sizes[] = {4096, 16384, 65536};
enum { PAGE_SIZES = sizeof(page_sizes) / sizeof(*page_sizes) };

static void begin(const char *mode)
{
    struct lc_variable v[LC_MODE_VARIABLES];
    char first[LC_MODE_VARIABLES][2] = {{0}};

    lc_bind_mode_wants(v, first);
    first[LC_MODE_OURS][0] = mode[0];
    memset(&r, 0, sizeof(r));
    memset(&live, 0, sizeof(live));
    memset(&notes, 0, sizeof(notes));
    lc_replay_begin(&r, &node, &key, v);
    r.calls.notes = &notes;
}

static int set_up(void **state)
{
    static const char *const name[OBJECTS] = {"program", "library.so", "module.so", "plugin.so",
                                              "foreign.so"};
    static const char *const needed[OBJECTS][4] = {
        {"library.so"}, {NULL}, {"library.so", "plugin.so"}, {NULL}, {NULL}};

    (void)state;
    fake_objects_make(object, name, needed, OBJECTS);
    make_section();
    contents.root.count = 1;
    contents.root.section[0] =
        (struct lc_section){.type = LC_SECTION_BINDINGS, .length = sizeof(section)};
    node = (struct lc_node){.look = {.base = (const void *)&section, .root = &contents.root},
                            .live = &live};
    key.has_environment = true;
    key.page_bytes = 4096;
    section.head.system = lc_bindings_system(LC_ARCH_MACHINE, key.page_bytes);
    key.headers = (uintptr_t)object[PROGRAM].page->header;
    key.header_count = 3;
    begin("");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fake_objects_free(object, OBJECTS);
    return 0;
}

/* ld.so maps an object; its cookie is its number + 1. */
static void map_object(uint32_t i)
{
    lc_replay_searched(&r, object[i].path + 5, 0);
    lc_replay_opened(&r, &object[i].map, i + 1, i == PROGRAM, LC_NONE);
}

/* ld.so relocates an object: it calls what IRELATIVE rows name, and binds the symbol in its own way
 * if it sees the row. */
static void relocate(uint32_t i)
{
    uintptr_t base = (uintptr_t)object[i].page;
    const ElfW(Rela) *row = (const void *)fake_tag(&object[i], DT_RELA);
    size_t rows = fake_tag(&object[i], DT_RELASZ) / sizeof(*row);
    bool sees_plt = fake_tag(&object[i], DT_PLTRELSZ) != 0;

    for (; rows > 0; rows--, row++)
        if (row->r_info == ELF64_R_INFO(0, LC_ARCH_IRELATIVE))
            ((uintptr_t(*)(void))(base + (uintptr_t)row->r_addend))();
        else if (ELF64_R_SYM(row->r_info))
            *(uint64_t *)(base + row->r_offset) = 1;
    if (sees_plt)
        object[i].page->slot[1] = 1;
}

static void start(void)
{
    map_object(PROGRAM);
    map_object(LIBRARY);
    relocate(LIBRARY);
    relocate(PROGRAM);
    lc_replay_activity(&r, LA_ACT_CONSISTENT);
}

/* The preload writes a note, then ld.so begins to add objects. */
static void open_object(uint32_t i, int flags)
{
    const char *file = object[i].path + strlen("/lib/");
    struct lc_dlopen_note *note = lc_dlopen_note_of(&notes, lc_arch_thread());

    *note = (struct lc_dlopen_note){.call = {lc_arch_thread(), 0x1000, 0x2000},
                                    .name = lc_hash(file, strlen(file)),
                                    .flags = (uint64_t)flags};
    note->sum = lc_dlopen_note_sum(note);
    notes.globals += (flags & RTLD_GLOBAL) != 0;
    lc_replay_searched(&r, file, 0);
    lc_replay_activity(&r, LA_ACT_ADD);
    lc_replay_opened(&r, &object[i].map, i + 1, false, LC_NONE);
}

static void open_module(int flags)
{
    open_object(MODULE, flags);
}

/* An object that was not recorded; nothing comes with it. */
static void open_foreign(int flags)
{
    open_object(FOREIGN, flags);
    lc_replay_activity(&r, LA_ACT_CONSISTENT);
}

static void open_all(int flags)
{
    open_module(flags);
    map_object(PLUGIN);
    relocate(PLUGIN);
    relocate(MODULE);
    lc_replay_activity(&r, LA_ACT_CONSISTENT);
}

/* Is the object's symbol bound as recorded? */
static bool is_bound(uint32_t i)
{
    return object[i].page->slot[1] == (uintptr_t)object[LIBRARY].page + FAKE_TARGET;
}

static void the_start_is_bound_without_a_look_up(void **state)
{
    (void)state;
    map_object(PROGRAM);
    assert_false(is_bound(PROGRAM)); /* not before the group is complete */
    map_object(LIBRARY);
    assert_true(is_bound(PROGRAM));
    assert_true(is_bound(LIBRARY));
    assert_int_equal(object[PROGRAM].page->slot[0], (uintptr_t)object[PROGRAM].page + 0x20);
    assert_int_equal(fake_tag(&object[PROGRAM], DT_RELASZ), sizeof(ElfW(Rela))); /* our thunk's */
    assert_int_not_equal(fake_tag(&object[PROGRAM], DT_RELA), (uintptr_t)object[PROGRAM].page->row);
    relocate(PROGRAM);
    assert_true(is_bound(PROGRAM));
    assert_int_equal(fake_tag(&object[PROGRAM], DT_RELASZ), sizeof(ElfW(Rela)));
    assert_int_equal(fake_tag(&object[PROGRAM], DT_PLTRELSZ), sizeof(ElfW(Rela)));
    assert_int_equal(fake_tag(&object[PROGRAM], DT_RELA), (uintptr_t)object[PROGRAM].page->row);
    assert_int_equal(live.bindings.replayed, 1);
    assert_int_equal(live.bindings.bindings, 2);
    assert_int_equal(live.bindings.refused, 0);
}

static void a_dlopen_is_bound_too(void **state)
{
    (void)state;
    start();
    open_all(RTLD_NOW);
    assert_true(is_bound(MODULE));
    assert_true(is_bound(PLUGIN));
    assert_int_equal(live.bindings.replayed, 2);
    assert_null(r.stopped);
}

static void closed_objects_can_be_loaded_again(void **state)
{
    (void)state;
    start();
    open_all(RTLD_NOW);
    lc_replay_closed(&r, &object[MODULE].map, MODULE + 1);
    lc_replay_closed(&r, &object[PLUGIN].map, PLUGIN + 1);
    open_all(RTLD_NOW);
    assert_int_equal(live.bindings.replayed, 3);
}

static void an_object_that_changed_is_left_to_ld_so(void **state)
{
    (void)state;
    object[LIBRARY].page->note.id++;
    map_object(PROGRAM);
    map_object(LIBRARY);
    assert_false(is_bound(PROGRAM));
    assert_int_equal(live.bindings.refused, 1);
    assert_string_equal(r.stopped, "other objects are loaded than were recorded");
}

static void a_damaged_plan_is_not_written(void **state)
{
    (void)state;
    section.word[4 * PROGRAM + 3]++;
    map_object(PROGRAM);
    map_object(LIBRARY);
    assert_int_equal(object[PROGRAM].page->slot[1], 0);
    assert_int_equal(object[LIBRARY].page->slot[1], 0);
    assert_string_equal(r.stopped, "a plan is not as it was recorded");
    assert_int_equal(fake_tag(&object[PROGRAM], DT_RELA), (uintptr_t)object[PROGRAM].page->row);
}

static void a_damaged_record_is_no_record(void **state)
{
    (void)state;
    section.object[PROGRAM].rows++;
    map_object(PROGRAM);
    assert_int_equal(live.bindings.refused, 1);
    assert_string_equal(r.stopped, "an object that was not recorded is in the global scope");
}

static void a_slot_outside_of_the_object_is_not_written(void **state)
{
    (void)state;
    section.word[4 * PROGRAM + 2] = 4096 - 4;
    lc_bindings_seal(&section, sizeof(section));
    map_object(PROGRAM);
    map_object(LIBRARY);
    assert_string_equal(r.stopped, "a plan points outside of its objects");
}

static void missing_objects_end_the_replay_of_a_start(void **state)
{
    (void)state;
    map_object(PROGRAM);
    lc_replay_activity(&r, LA_ACT_CONSISTENT);
    assert_string_equal(r.stopped, "fewer objects are loaded than were recorded");
    open_all(RTLD_NOW);
    assert_false(is_bound(MODULE));
    assert_int_equal(live.bindings.refused, 2);
}

static void a_local_dlopen_that_differs_is_refused_alone(void **state)
{
    (void)state;
    start();
    open_module(RTLD_NOW);
    lc_replay_activity(&r, LA_ACT_CONSISTENT); /* without its plugin */
    assert_int_equal(live.bindings.refused, 1);
    assert_null(r.stopped);
}

static void another_global_scope_is_another_group(void **state)
{
    (void)state;
    start();
    notes.globals = 1; /* something loaded may have become global */
    open_all(RTLD_NOW);
    assert_false(is_bound(MODULE));
    assert_int_equal(live.bindings.refused, 1);
    assert_null(r.stopped);
    lc_replay_closed(&r, &object[LIBRARY].map, LIBRARY + 1); /* known to be global */
    assert_null(r.stopped);
}

static void a_global_dlopen_extends_the_scope(void **state)
{
    (void)state;
    start();
    uint64_t hash = r.scope.hash;
    open_all(RTLD_NOW | RTLD_GLOBAL);
    assert_true(is_bound(MODULE));
    assert_int_not_equal(r.scope.hash, hash);
    lc_replay_closed(&r, &object[MODULE].map, MODULE + 1);
    lc_replay_closed(&r, &object[PLUGIN].map, PLUGIN + 1);
    assert_int_equal(r.scope.hash, hash);
}

static void an_object_that_was_not_recorded_is_passed_over(void **state)
{
    (void)state;
    start();
    open_foreign(RTLD_NOW);
    assert_int_equal(live.bindings.refused, 1);
    open_all(RTLD_NOW);
    assert_true(is_bound(MODULE));
    assert_true(is_bound(PLUGIN));
    assert_int_equal(live.bindings.replayed, 2);
    assert_int_equal(live.bindings.refused, 1);
    assert_null(r.stopped);
}

static void in_the_global_scope_it_ends_the_replay(void **state)
{
    (void)state;
    start();
    open_foreign(RTLD_NOW | RTLD_GLOBAL);
    open_all(RTLD_NOW);
    assert_false(is_bound(MODULE));
    assert_string_equal(r.stopped, "an object that was not recorded is in the global scope");
}

static void it_may_become_global_later(void **state)
{
    (void)state;
    start();
    open_foreign(RTLD_NOW);
    notes.globals++; /* a dlopen that loads nothing */
    open_all(RTLD_NOW);
    assert_false(is_bound(MODULE));
    assert_string_equal(r.stopped, "an object that was not recorded may be in the global scope");
    assert_int_equal(live.bindings.refused, 2);
}

static void a_global_dlopen_that_needs_it_ends_the_replay(void **state)
{
    (void)state;
    struct fake_page *page = object[FOREIGN].page;
    start();
    strcpy(page->strings + fake_tag(&object[FOREIGN], DT_SONAME), "plugin.so");
    open_foreign(RTLD_NOW);
    open_all(RTLD_NOW | RTLD_GLOBAL);
    assert_false(is_bound(MODULE));
    assert_string_equal(r.stopped, "an object is loaded that was not recorded");
    assert_int_equal(live.bindings.refused, 2);
}

/* The plugin may lead to objects that the recording did not see. */
static void what_came_with_it_belongs_to_no_recorded_group(void **state)
{
    (void)state;
    start();
    open_object(FOREIGN, RTLD_NOW);
    map_object(PLUGIN);
    lc_replay_activity(&r, LA_ACT_CONSISTENT);
    open_module(RTLD_NOW);
    lc_replay_activity(&r, LA_ACT_CONSISTENT);
    assert_false(is_bound(MODULE));
    assert_null(r.stopped);
}

static void before_it_in_its_group_too(void **state)
{
    (void)state;
    start();
    lc_replay_searched(&r, "library.so.1", 0); /* found in an earlier dlopen */
    open_object(PLUGIN, RTLD_NOW);
    map_object(FOREIGN);
    lc_replay_activity(&r, LA_ACT_CONSISTENT);
    open_module(RTLD_NOW);
    lc_replay_activity(&r, LA_ACT_CONSISTENT);
    assert_false(is_bound(MODULE));
    assert_null(r.stopped);
}

/* ld.so finds it where the module needs "plugin.so", although the plugin is loaded, too. */
static void it_may_have_the_name_of_a_recorded_one(void **state)
{
    (void)state;
    struct fake_page *page = object[FOREIGN].page;
    start();
    strcpy(page->strings + fake_tag(&object[FOREIGN], DT_SONAME), "plugin.so");
    open_foreign(RTLD_NOW);
    open_object(PLUGIN, RTLD_NOW); /* by its path */
    lc_replay_activity(&r, LA_ACT_CONSISTENT);
    open_module(RTLD_NOW);
    lc_replay_activity(&r, LA_ACT_CONSISTENT);
    assert_false(is_bound(MODULE));
    assert_null(r.stopped);
}

/* ld.so has searched for "plugin.so" and found the file of a loaded object, maybe of this one. */
static void it_may_get_another_name(void **state)
{
    (void)state;
    start();
    open_foreign(RTLD_NOW);
    lc_replay_searched(&r, "plugin.so", 0);
    open_object(PLUGIN, RTLD_NOW);
    lc_replay_activity(&r, LA_ACT_CONSISTENT);
    open_module(RTLD_NOW);
    lc_replay_activity(&r, LA_ACT_CONSISTENT);
    assert_false(is_bound(MODULE));
    assert_null(r.stopped);
}

/* ld.so has searched for "plugin.so.1" and found the plugin's file, when all was as recorded. */
static void one_before_it_may_have_got_another_name(void **state)
{
    (void)state;
    start();
    lc_replay_searched(&r, "library.so.1", 0); /* in an earlier dlopen */
    open_object(PLUGIN, RTLD_NOW);
    lc_replay_searched(&r, "plugin.so.1", 0);
    map_object(FOREIGN);
    assert_string_equal(r.stopped, "an object is loaded whose names are not known");
    assert_int_equal(live.bindings.refused, 1);
}

static void without_known_names_it_ends_the_replay(void **state)
{
    (void)state;
    start();
    for (ElfW(Dyn) *d = object[FOREIGN].page->dynamic; d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_STRTAB)
            d->d_un.d_ptr = 1;
    open_foreign(RTLD_NOW);
    assert_string_equal(r.stopped, "an object is loaded whose names are not known");
}

static void unknown_flags_end_the_replay(void **state)
{
    (void)state;
    start();
    lc_replay_activity(&r, LA_ACT_ADD);
    map_object(MODULE); /* without a note */
    assert_string_equal(r.stopped, "dlopen's flags are not known");
}

static void a_note_is_for_no_later_call_if_it_could_load_nothing(void **state)
{
    struct lc_dlopen_note *note = lc_dlopen_note_of(&notes, lc_arch_thread());

    (void)state;
    start();
    note->call.thread = lc_arch_thread(); /* a call for the module, whose note is not deleted */
    note->name = lc_hash("module.so", strlen("module.so"));
    note->flags = RTLD_NOW | RTLD_NOLOAD;
    note->sum = lc_dlopen_note_sum(note);
    lc_replay_searched(&r, "module.so", 0);
    lc_replay_activity(&r, LA_ACT_ADD);
    lc_replay_opened(&r, &object[MODULE].map, MODULE + 1, false, LC_NONE);
    assert_string_equal(r.stopped, "dlopen's flags are not known");
}

static void a_dlopen_that_is_not_ours_ends_the_replay(void **state)
{
    (void)state;
    start();
    notes.is_bypassed = 1;
    open_all(RTLD_NOW);
    assert_false(is_bound(MODULE));
    assert_string_equal(r.stopped, "dlopen's flags are not known");
    assert_int_equal(live.bindings.refused, 1);
}

/* It does not go through ours. */
static void a_deep_object_that_may_call_dlopen_ends_the_replay(void **state)
{
    const char *const names[] = {"dlopen", "my_dlmopen", "dlsym", "dlvsym", "dlopens"};

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        set_up(state);
        struct fake_page *page = object[FOREIGN].page;
        strcpy(page->strings + sizeof(page->strings) - 16, names[i]);
        start();
        open_foreign(RTLD_NOW | RTLD_DEEPBIND);
        open_all(RTLD_NOW);
        assert_int_equal(is_bound(MODULE), i == 4);
        assert_int_equal(live.bindings.refused, i == 4 ? 1 : 2);
        tear_down(state);
    }
    set_up(state);
}

static void deep_binding_is_refused(void **state)
{
    (void)state;
    start();
    open_all(RTLD_NOW | RTLD_DEEPBIND);
    assert_false(is_bound(MODULE));
    assert_int_equal(live.bindings.refused, 1);
}

static void a_dlopen_inside_of_another_ends_the_replay(void **state)
{
    (void)state;
    start();
    open_module(RTLD_NOW);
    map_object(PLUGIN); /* bound, but ld.so has not relocated it */
    lc_replay_activity(&r, LA_ACT_ADD);
    lc_replay_opened(&r, &object[LIBRARY].map, 9, false, LC_NONE);
    assert_string_equal(r.stopped, "a dlopen began inside of another");
}

static void verifying_compares_with_what_ld_so_found(void **state)
{
    (void)state;
    begin("v");
    start(); /* where ld.so writes something else */
    assert_int_equal(live.bindings.compared, 2);
    assert_int_equal(live.bindings.different, 2);
}

/* Every recorded page size is run on every page size. */
static void they_hold_for_the_recorded_page_size_only(void **state)
{
    for (uint32_t recorded = 0; recorded < PAGE_SIZES; recorded++)
        for (uint32_t here = 0; here < PAGE_SIZES; here++) {
            set_up(state);
            section.head.system = lc_bindings_system(LC_ARCH_MACHINE, page_sizes[recorded]);
            key.page_bytes = page_sizes[here];
            begin("");
            start();
            assert_int_equal(is_bound(PROGRAM), recorded == here);
            assert_int_equal(live.bindings.refused, recorded != here);
            tear_down(state);
        }
    set_up(state);
}

static void they_hold_for_the_recorded_machine_only(void **state)
{
    (void)state;
    section.head.system = lc_bindings_system(LC_ARCH_MACHINE + 1, key.page_bytes);
    begin("");
    start();
    assert_false(is_bound(PROGRAM));
    assert_int_equal(live.bindings.refused, 1);
}

static void it_can_be_switched_off(void **state)
{
    (void)state;
    begin("0");
    start();
    assert_false(is_bound(PROGRAM));
    assert_int_equal(live.bindings.refused, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        TEST(the_start_is_bound_without_a_look_up),
        TEST(a_dlopen_is_bound_too),
        TEST(closed_objects_can_be_loaded_again),
        TEST(an_object_that_changed_is_left_to_ld_so),
        TEST(a_damaged_plan_is_not_written),
        TEST(a_damaged_record_is_no_record),
        TEST(a_slot_outside_of_the_object_is_not_written),
        TEST(missing_objects_end_the_replay_of_a_start),
        TEST(a_local_dlopen_that_differs_is_refused_alone),
        TEST(another_global_scope_is_another_group),
        TEST(a_global_dlopen_extends_the_scope),
        TEST(an_object_that_was_not_recorded_is_passed_over),
        TEST(in_the_global_scope_it_ends_the_replay),
        TEST(it_may_become_global_later),
        TEST(a_global_dlopen_that_needs_it_ends_the_replay),
        TEST(what_came_with_it_belongs_to_no_recorded_group),
        TEST(before_it_in_its_group_too),
        TEST(it_may_have_the_name_of_a_recorded_one),
        TEST(it_may_get_another_name),
        TEST(one_before_it_may_have_got_another_name),
        TEST(without_known_names_it_ends_the_replay),
        TEST(unknown_flags_end_the_replay),
        TEST(a_note_is_for_no_later_call_if_it_could_load_nothing),
        TEST(a_dlopen_that_is_not_ours_ends_the_replay),
        TEST(a_deep_object_that_may_call_dlopen_ends_the_replay),
        TEST(deep_binding_is_refused),
        TEST(a_dlopen_inside_of_another_ends_the_replay),
        TEST(verifying_compares_with_what_ld_so_found),
        TEST(they_hold_for_the_recorded_page_size_only),
        TEST(they_hold_for_the_recorded_machine_only),
        TEST(it_can_be_switched_off),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

void lc_thunk_hook(uint32_t thunk)
{
    lc_replay_relocated(&r, thunk);
}
