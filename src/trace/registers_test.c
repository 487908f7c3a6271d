/* SPDX-License-Identifier: MIT */
#include "util/test.h"

#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace/registers.h"

/* Start a child that stops, then makes one call with known arguments. */
static pid_t start_child(void)
{
    pid_t pid = fork();

    if (pid == 0) {
        if (ptrace(PTRACE_TRACEME, 0, 0, 0) < 0)
            _exit(77);
        raise(SIGSTOP);
        syscall(SYS_readlinkat, 11, 22, 33, 44);
        _exit(0);
    }
    return pid;
}

static void next_syscall_stop(pid_t pid)
{
    int status;

    ptrace(PTRACE_SYSCALL, pid, 0, 0);
    waitpid(pid, &status, __WALL);
}

/* Continue to the entry of that call (raise() makes calls of its own). */
static void run_to_entry(pid_t pid, struct lc_registers *r)
{
    for (int i = 0; i < 50; i++) {
        next_syscall_stop(pid);
        assert_int_equal(lc_registers_read(pid, false, r), 0);
        if (!r->at_exit && r->number == SYS_readlinkat)
            return;
    }
    fail_msg("the call did not come");
}

static void both_ways_read_the_same(void **state)
{
    struct lc_registers info, raw;
    int status;
    pid_t pid = start_child();

    (void)state;
    waitpid(pid, &status, __WALL);
    if (WIFEXITED(status))
        skip();
    ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
    run_to_entry(pid, &info);
    assert_int_equal(lc_registers_read_raw(pid, false, &raw), 0);
    assert_true(info.is_native && raw.is_native);
    assert_int_equal(raw.number, info.number);
    assert_memory_equal(raw.args, info.args, 4 * sizeof(info.args[0]));
    assert_int_equal(raw.args[2], 33);
    next_syscall_stop(pid);
    assert_int_equal(lc_registers_read(pid, true, &info), 0);
    assert_int_equal(lc_registers_read_raw(pid, true, &raw), 0);
    assert_int_equal(info.result, -EFAULT);
    assert_int_equal(raw.result, info.result);
    ptrace(PTRACE_CONT, pid, 0, 0);
    waitpid(pid, &status, __WALL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_ways_read_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
