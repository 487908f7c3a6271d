/* SPDX-License-Identifier: MIT */
#include "util/test.h"

#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace/register_layout.h"
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

/* Word i holds 100 + i, but for the one that tells the word size. */
static void layout_read(const struct lc_register_layout *layout, struct lc_registers *out)
{
    uint64_t word[LC_REGISTER_WORDS];

    for (int i = 0; i < LC_REGISTER_WORDS; i++)
        word[i] = i == layout->mode ? layout->value : 100 + (uint64_t)i;
    lc_registers_decode(layout, word, layout->words, false, out);
    assert_true(out->is_native);
}

/* struct user_pt_regs: x0 to x30, sp, pc, pstate */
static void aarch64_passes_arguments_from_x0_on(void **state)
{
    struct lc_registers r;

    (void)state;
    layout_read(&lc_registers_aarch64, &r);
    assert_int_equal(r.number, 108);
    assert_int_equal(r.result, 100);
    for (int i = 0; i < 6; i++)
        assert_int_equal(r.args[i], 100 + i);
    assert_int_equal(lc_registers_aarch64.stack, 31);
    assert_int_equal(lc_registers_aarch64.words, 34);
    lc_registers_decode(&lc_registers_aarch64, (uint64_t[LC_REGISTER_WORDS]){0}, 18 / 2, false, &r);
    assert_false(r.is_native); /* 18 words of 32 bits */
}

static void x86_64_has_an_order_of_its_own(void **state)
{
    struct lc_registers r;
    uint64_t word[LC_REGISTER_WORDS] = {[17] = 0x23}; /* cs of 32 bits */

    (void)state;
    layout_read(&lc_registers_x86_64, &r);
    assert_int_equal(r.number, 115);
    assert_int_equal(r.result, 110);
    assert_memory_equal(r.args, ((uint64_t[]){114, 113, 112, 107, 109, 108}), sizeof(r.args));
    lc_registers_decode(&lc_registers_x86_64, word, 27, false, &r);
    assert_false(r.is_native);
}

/* The system's headers agree with the layout that is used here. */
static void the_layout_here_is_the_system_s(void **state)
{
    (void)state;
    assert_int_equal(LC_REGISTERS_HERE.words * 8, sizeof(struct user_regs_struct));
#if defined(__x86_64__)
    assert_int_equal(lc_registers_x86_64.stack * 8, offsetof(struct user_regs_struct, rsp));
    assert_int_equal(lc_registers_x86_64.number * 8, offsetof(struct user_regs_struct, orig_rax));
    assert_int_equal(lc_registers_x86_64.args[3] * 8, offsetof(struct user_regs_struct, r10));
#else
    assert_int_equal(lc_registers_aarch64.stack * 8, offsetof(struct user_regs_struct, sp));
    assert_int_equal(lc_registers_aarch64.number * 8, offsetof(struct user_regs_struct, regs[8]));
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aarch64_passes_arguments_from_x0_on),
        cmocka_unit_test(x86_64_has_an_order_of_its_own),
        cmocka_unit_test(the_layout_here_is_the_system_s),
        cmocka_unit_test(both_ways_read_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
