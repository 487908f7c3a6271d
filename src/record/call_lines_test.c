/* SPDX-License-Identifier: MIT */
/* call_lines_test.c - lines that a program's processes write to memory are kept whole, or dropped
 */
#include "util/test.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "node/call_lines.h"
#include "record/call_lines.h"

enum { LINES = 2000, CHILDREN = 4, THREADS = 4 };

static char dir[40], log_name[64], file[80];

static int begin(void **state)
{
    (void)state;
    snprintf(dir, sizeof(dir), "/tmp/call-lines-test.XXXXXX");
    assert_non_null(mkdtemp(dir));
    snprintf(log_name, sizeof(log_name), "%s/log", dir);
    snprintf(file, sizeof(file), "%s%s", log_name, LC_CALL_LINES);
    return 0;
}

static int end(void **state)
{
    (void)state;
    unlink(file);
    return rmdir(dir) == 0 ? 0 : -1;
}

/* Each test has processes of its own: what is mapped belongs to a process. */
static pid_t process(void (*run)(void))
{
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid > 0)
        return pid;
    lc_call_lines_to(log_name);
    run();
    _exit(0);
}

static int status_of(pid_t pid)
{
    int status = -1;

    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

static bool add(const char *kind, int number)
{
    char line[64];
    int n = snprintf(line, sizeof(line), "1\topenat\t0\t/%s/%d/%d\n", kind, (int)getpid(), number);

    return lc_call_lines_add(line, (size_t)n);
}

static size_t paths_read(void)
{
    struct lc_seen seen = {0};
    struct lc_error err = {.text = ""};

    int rc = lc_call_lines_read(&seen, file, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(rc, 0);
    assert_int_equal(seen.events, seen.paths.count); /* none twice, and none damaged */
    size_t paths = seen.paths.count;
    lc_seen_free(&seen);
    return paths;
}

/* A line that was not added is appended to the log: while another thread takes memory. */
static int *missed; /* shared by all processes */

static void *thread_add(void *arg)
{
    char kind[32];

    snprintf(kind, sizeof(kind), "thread%d", *(int *)arg);
    for (int i = 0; i < LINES; i++)
        if (!add(kind, i))
            __atomic_fetch_add(missed, 1, __ATOMIC_RELAXED);
    return NULL;
}

static void many_add(void)
{
    pthread_t thread[THREADS];
    int number[THREADS];
    pid_t child[CHILDREN];

    add("first", 0);
    for (int i = 0; i < CHILDREN; i++) {
        child[i] = fork();
        for (int n = 0; child[i] == 0 && n < LINES; n++)
            if (!add("child", n))
                __atomic_fetch_add(missed, 1, __ATOMIC_RELAXED);
        if (child[i] == 0)
            _exit(0);
    }
    for (int i = 0; i < THREADS; i++) {
        number[i] = i;
        pthread_create(&thread[i], NULL, thread_add, &number[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < CHILDREN; i++)
        if (status_of(child[i]) != 0)
            _exit(255);
}

static void all_lines_of_threads_and_children_are_read(void **state)
{
    (void)state;
    missed = mmap(NULL, sizeof(*missed), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(lc_call_lines_make(file));
    assert_int_equal(status_of(process(many_add)), 0);
    size_t all = 1 + (CHILDREN + THREADS) * LINES, added = all - (size_t)*missed;
    assert_true(added > 0);
    assert_int_equal(paths_read(), added);
    assert_true(lc_call_lines_bytes(file) > added * 20);
}

static void then_killed(void)
{
    for (int i = 0; i < LINES; i++)
        add("killed", i);
    raise(SIGKILL);
}

static void what_a_killed_process_wrote_stays(void **state)
{
    (void)state;
    assert_true(lc_call_lines_make(file));
    assert_true(WIFSIGNALED(status_of(process(then_killed))));
    assert_int_equal(paths_read(), LINES);
}

/* As if the process had been killed between two steps, and one that it had forked went on. */
static void torn_add(void)
{
    static const char torn[] = "/torn/path\n1\topenat\t0\t/torn\n";
    int fd = open(file, O_RDWR);

    add("whole", 1);
    struct lc_call_lines_unit *unit =
        mmap(NULL, LC_CALL_LINES_UNIT, PROT_READ | PROT_WRITE, MAP_SHARED, fd, LC_CALL_LINES_UNIT);
    for (size_t copied = 0; copied <= sizeof(torn); copied += 5) {
        memcpy(unit->text + unit->used + 1, torn,
               copied < sizeof(torn) ? copied : sizeof(torn) - 1);
        unit->used += 40;
        add("whole", 2 + (int)copied);
    }
    unit->text[unit->used] = LC_CALL_LINES_BEGIN; /* seen before the text was */
    unit->used += 40;
    add("whole", 1000);
}

static void what_was_not_completed_is_dropped(void **state)
{
    (void)state;
    assert_true(lc_call_lines_make(file));
    assert_int_equal(status_of(process(torn_add)), 0);
    assert_int_equal(paths_read(), 2 + 6);
}

static void limited_add(void)
{
    struct rlimit none = {0, RLIM_INFINITY};

    bool before = add("before", 1);
    setrlimit(RLIMIT_FSIZE, &none);
    int added = 0;
    while (added < 100000 && add("limited", added))
        added++;
    _exit(before && added > 0 && added < 100000 ? 0 : 1); /* what is there already may be used */
}

static void a_limit_on_the_size_of_files_ends_no_program(void **state)
{
    (void)state;
    assert_true(lc_call_lines_make(file));
    assert_int_equal(status_of(process(limited_add)), 0);
}

static void no_file_add(void)
{
    char *large = malloc(LC_CALL_LINES_UNIT);

    memset(large, 'x', LC_CALL_LINES_UNIT);
    bool too_large = lc_call_lines_add(large, LC_CALL_LINES_UNIT);
    unlink(file);
    _exit(!too_large && !add("no", 1) ? 0 : 1);
}

static void a_line_that_is_too_long_and_a_missing_file_are_for_the_log(void **state)
{
    struct lc_seen seen = {0};

    (void)state;
    assert_true(lc_call_lines_make(file));
    assert_int_equal(status_of(process(no_file_add)), 0);
    assert_int_equal(lc_call_lines_read(&seen, file, NULL), 0);
    assert_int_equal(lc_call_lines_bytes(file), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_lines_of_threads_and_children_are_read, begin, end),
        cmocka_unit_test_setup_teardown(what_a_killed_process_wrote_stays, begin, end),
        cmocka_unit_test_setup_teardown(what_was_not_completed_is_dropped, begin, end),
        cmocka_unit_test_setup_teardown(a_limit_on_the_size_of_files_ends_no_program, begin, end),
        cmocka_unit_test_setup_teardown(a_line_that_is_too_long_and_a_missing_file_are_for_the_log,
                                        begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
