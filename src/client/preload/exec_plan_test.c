/* SPDX-License-Identifier: MIT */
/* exec_plan_test.c - what is executed for a path, and in which environment */
#include "util/test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/preload/path_query.h"
#include "client/preload/exec_plan.h"
#include "client/preload/readable.h"

static struct lc_node node;
static struct lc_state state_of_node;
static struct lc_live live;
static struct lc_scratch scratch;
static int taken; /* buffers taken and not given back */
static bool is_attached;
static enum lc_verdict verdict; /* of the image about any path */

/* The rest of the preload. */
const struct lc_node *lc_client_last_node(void)
{
    return is_attached ? &node : NULL;
}

bool lc_is_text(const char *text)
{
    return text;
}

bool lc_is_list(char *const list[])
{
    return list;
}

bool lc_is_pointers(char *const list[])
{
    return list;
}

bool lc_client_has_detached(void)
{
    return false;
}

const struct lc_node *lc_client_node_no_syscalls(void)
{
    return NULL;
}

struct lc_scratch *lc_scratch_take(void)
{
    taken++;
    return &scratch;
}

void lc_scratch_give(struct lc_scratch *given)
{
    taken -= given != NULL;
}

void lc_query_with(struct lc_query *query, struct lc_scratch *in, int dirfd, const char *path,
                   int flags)
{
    (void)dirfd;
    (void)path;
    (void)flags;
    *query = (struct lc_query){.node = &node, .scratch = in, .verdict = verdict, .error = ENOENT};
}

void lc_query_pass(struct lc_query *query, enum lc_count_kind why)
{
    (void)why;
    query->verdict = LC_PASS;
}

const char *lc_query_staged_path(struct lc_query *query)
{
    (void)query;
    return NULL;
}

/* A node directory, in the working directory. */
static char *const ours[] = {"A=1", "LD_AUDIT=home/node/bin/audit.so",
                             "LD_PRELOAD=/other.so:home/node/bin/preload.so",
                             "LOADCAST_NODE=home/node", NULL};
static char *const foreign[] = {"A=1", "LD_PRELOAD=/other.so", NULL};
static char *const argv[] = {"name", "x", "y", NULL};

static char dir[] = "/tmp/loadcast-exec-plan-XXXXXX";

static int make_node(void **state)
{
    (void)state;
    return mkdtemp(dir) && chdir(dir) == 0 && mkdir("home", 0700) == 0 &&
                   mkdir("home/node", 0700) == 0 && mkdir("home/node/bin", 0700) == 0 &&
                   close(creat("home/node/bin/audit.so", 0600)) == 0 &&
                   close(creat("home/node/bin/preload.so", 0600)) == 0
               ? 0
               : -1;
}

static int remove_node(void **state)
{
    (void)state;
    return unlink("home/node/bin/audit.so") == 0 && unlink("home/node/bin/preload.so") == 0 &&
                   rmdir("home/node/bin") == 0 && rmdir("home/node") == 0 && rmdir("home") == 0 &&
                   rmdir(dir) == 0
               ? 0
               : -1;
}

static int set_up(void **state)
{
    (void)state;
    is_attached = true;
    verdict = LC_PASS;
    taken = 0;
    memset(&live, 0, sizeof(live));
    state_of_node.flags = LC_STATE_NO_EXEC; /* no launcher can be executed */
    node = (struct lc_node){.state = &state_of_node, .live = &live};
    strcpy(node.files, "home/node/files");
    node.files_len = strlen(node.files);
    return 0;
}

static const char *list_joined(char *const list[])
{
    static char text[512];

    text[0] = '\0';
    for (; *list; list++)
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s ", *list);
    return text;
}

static void an_environment_without_us_stays_as_it_is(void **state)
{
    struct lc_exec_plan plan;

    (void)state;
    assert_int_equal(lc_exec_plan_make(&plan, "/bin/sh", argv, foreign), 0);
    assert_int_equal(plan.bytes, 0);
    lc_exec_plan_write(&plan, LC_EXEC_PLAN_SPACE(&plan));
    assert_ptr_equal(plan.env, foreign);
    assert_false(plan.is_staged);
    lc_exec_plan_end(&plan);
}

static void a_program_that_the_image_does_not_know_is_executed_as_given(void **state)
{
    struct lc_exec_plan plan;

    (void)state;
    assert_int_equal(lc_exec_plan_make(&plan, "/bin/sh", argv, ours), 0);
    assert_int_equal(taken, 1);
    lc_exec_plan_write(&plan, LC_EXEC_PLAN_SPACE(&plan));
    assert_int_equal(taken, 0);
    assert_false(plan.is_staged);
    assert_ptr_equal(plan.argv, argv);
    assert_ptr_equal(plan.env, ours);
    lc_exec_plan_end(&plan);
}

static void a_path_that_the_image_knows_to_be_absent_fails_at_once(void **state)
{
    struct lc_exec_plan plan;

    (void)state;
    verdict = LC_ABSENT;
    assert_int_equal(lc_exec_plan_make(&plan, "/bin/none", argv, ours), ENOENT);
    assert_int_equal(taken, 0);
    assert_int_equal(lc_exec_plan_make(&plan, "/bin/none", argv, foreign), 0);
}

static void a_launcher_of_ranks_gets_an_environment_without_us(void **state)
{
    static const char *const launcher[] = {"/usr/bin/srun", "mpiexec.openmpi", "flux"};
    static const char *const other[] = {"/usr/bin/sruns", "xsrun", "/srun/sh", "."};
    struct lc_exec_plan plan;

    (void)state;
    for (size_t i = 0; i < sizeof(launcher) / sizeof(*launcher); i++) {
        lc_exec_plan_make_environment(&plan, launcher[i], ours);
        lc_exec_plan_write(&plan, LC_EXEC_PLAN_SPACE(&plan));
        assert_string_equal(list_joined(plan.env), "A=1 LD_PRELOAD=/other.so ");
    }
    for (size_t i = 0; i < sizeof(other) / sizeof(*other); i++) {
        lc_exec_plan_make_environment(&plan, other[i], ours);
        lc_exec_plan_write(&plan, LC_EXEC_PLAN_SPACE(&plan));
        assert_ptr_equal(plan.env, ours);
    }
}

static void a_lost_preload_is_put_back(void **state)
{
    static char *const lost[] = {"LD_AUDIT=home/node/bin/audit.so", "LD_PRELOAD=/other.so",
                                 "LOADCAST_NODE=home/node", NULL};
    struct lc_exec_plan plan;

    (void)state;
    lc_exec_plan_make_environment(&plan, "/bin/sh", lost);
    lc_exec_plan_write(&plan, LC_EXEC_PLAN_SPACE(&plan));
    assert_string_equal(
        list_joined(plan.env),
        "LD_AUDIT=home/node/bin/audit.so LD_PRELOAD=/other.so:home/node/bin/preload.so "
        "LOADCAST_NODE=home/node ");
}

/* A script whose staged interpreter is executed. */
static struct lc_exec_plan script_plan(char *option)
{
    struct lc_exec_plan plan = {.path = "/app/script",
                                .is_staged = true,
                                .is_script = true,
                                .file = "home/node/files/bin/sh",
                                .argv = argv,
                                .env = foreign};

    plan.script.interpreter = "/bin/sh";
    plan.script.option = option;
    return plan;
}

static void a_script_becomes_its_interpreter(void **state)
{
    struct lc_exec_plan plan = script_plan("-e");
    char *space[64];

    (void)state;
    lc_exec_plan_write(&plan, space);
    assert_string_equal(list_joined(plan.argv), "/bin/sh -e /app/script x y ");
    assert_string_equal(plan.file, "home/node/files/bin/sh");
    assert_true((char *)plan.file > (char *)space && (char *)plan.file < (char *)(space + 64));
    plan = script_plan(NULL);
    lc_exec_plan_write(&plan, space);
    assert_string_equal(list_joined(plan.argv), "/bin/sh /app/script x y ");
}

static void without_memory_all_stays_as_it_is(void **state)
{
    struct lc_exec_plan plan = script_plan(NULL);

    (void)state;
    lc_exec_plan_write(&plan, NULL);
    assert_false(plan.is_staged);
    assert_ptr_equal(plan.argv, argv);
    assert_ptr_equal(plan.env, foreign);
}

static void *map_page(void)
{
    return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static bool is_mapped(void *at)
{
    unsigned char resident;

    return mincore(at, 4096, &resident) == 0;
}

static void what_a_child_left_over_is_unmapped_by_its_own_thread(void **state)
{
    struct lc_exec_plan_memory memory = {0};
    void *left = map_page();

    (void)state;
    lc_exec_plan_memory_add(&memory, 20, 5, left, 4096);
    lc_exec_plan_memory_clean(&memory, 10, 6); /* another thread of the parent */
    lc_exec_plan_memory_clean(&memory, 20, 5); /* the child itself */
    assert_true(is_mapped(left));
    lc_exec_plan_memory_clean(&memory, 10, 5);
    assert_false(is_mapped(left));
    assert_false(lc_exec_plan_memory_free(&memory, left));
}

static void memory_that_finds_no_place_is_the_callers(void **state)
{
    struct lc_exec_plan_memory memory = {0};
    void *page[LC_EXEC_PLAN_MEMORIES + 1];

    (void)state;
    for (int i = 0; i <= LC_EXEC_PLAN_MEMORIES; i++)
        lc_exec_plan_memory_add(&memory, 20, 5, page[i] = map_page(), 4096);
    assert_true(lc_exec_plan_memory_free(&memory, page[0]));
    assert_false(is_mapped(page[0]));
    assert_false(lc_exec_plan_memory_free(&memory, page[LC_EXEC_PLAN_MEMORIES]));
    assert_true(is_mapped(page[LC_EXEC_PLAN_MEMORIES]));
    for (int i = 1; i <= LC_EXEC_PLAN_MEMORIES; i++)
        munmap(page[i], 4096);
}

static void a_long_environment_is_written_to_mapped_memory(void **state)
{
    static char *many[400];
    struct lc_exec_plan plan;

    (void)state;
    for (size_t i = 0; i < 396; i++)
        many[i] = "B=2";
    many[396] = "LD_AUDIT=home/node/bin/audit.so";
    many[397] = "LOADCAST_NODE=home/node";
    lc_exec_plan_make_environment(&plan, "/bin/sh", many);
    assert_true(plan.bytes > LC_EXEC_PLAN_ON_STACK);
    lc_exec_plan_write(&plan, LC_EXEC_PLAN_SPACE(&plan));
    void *mapped = plan.mapped;
    assert_non_null(mapped);
    assert_string_equal(plan.env[398], "LD_PRELOAD=home/node/bin/preload.so");
    lc_exec_plan_end(&plan);
    assert_false(is_mapped(mapped));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup(name, set_up)
        TEST(an_environment_without_us_stays_as_it_is),
        TEST(a_program_that_the_image_does_not_know_is_executed_as_given),
        TEST(a_path_that_the_image_knows_to_be_absent_fails_at_once),
        TEST(a_launcher_of_ranks_gets_an_environment_without_us),
        TEST(a_lost_preload_is_put_back),
        TEST(a_script_becomes_its_interpreter),
        TEST(without_memory_all_stays_as_it_is),
        TEST(what_a_child_left_over_is_unmapped_by_its_own_thread),
        TEST(memory_that_finds_no_place_is_the_callers),
        TEST(a_long_environment_is_written_to_mapped_memory),
    };

    return cmocka_run_group_tests(tests, make_node, remove_node);
}
