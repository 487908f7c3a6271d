/* SPDX-License-Identifier: MIT */
#include "util/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/syscalls.h"
#include "util/test.h"

static bool is_opened(int dir, const char *path, int flags)
{
    int fd = lc_open_beneath(dir, path, flags, 0600);

    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

static bool is_refused(int dir, const char *path, int flags)
{
    return !is_opened(dir, path, flags) && (errno == ELOOP || errno == ENOTDIR || errno == EXDEV);
}

/* 0, or the number of the first check that failed. */
static int check_all(int dir)
{
    int make = O_WRONLY | O_CREAT | O_EXCL;

    return !is_opened(dir, "a/b", O_PATH | O_DIRECTORY) ? 1
           : !is_opened(dir, ".", O_RDONLY)             ? 2
           : !is_opened(dir, "a/b/new", make)           ? 3
           : !is_refused(dir, "out/x", make)            ? 4
           : !is_refused(dir, "a/out/x", make)          ? 5
           : !is_refused(dir, "out", O_RDONLY)          ? 6
           : !is_refused(dir, "../x", make)             ? 7
           : !is_refused(dir, "a/../../x", make)        ? 8
           : !is_refused(dir, "..", O_RDONLY)           ? 9
           : !is_refused(dir, "/tmp", O_RDONLY)         ? 10
           : is_opened(dir, "none/x", make)             ? 11
           : unlinkat(dir, "a/b/new", 0) < 0            ? 12
                                                        : 0;
}

static void forbid_openat2(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof(code) / sizeof(*code), code};

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
        _exit(99);
}

/* In a child process, so that the seccomp filter ends with it. */
static int run_all(void (*before)(void))
{
    char path[] = "/tmp/beneath.XXXXXX";
    int status = -1, dir = open(mkdtemp(path), O_RDONLY | O_DIRECTORY);

    assert_int_equal(mkdirat(dir, "a", 0700) | mkdirat(dir, "a/b", 0700), 0);
    assert_int_equal(symlinkat("/tmp", dir, "out") | symlinkat("..", dir, "a/out"), 0);
    pid_t child = fork();
    if (child == 0) {
        if (before)
            before();
        _exit(check_all(dir));
    }
    assert_true(waitpid(child, &status, 0) == child && WIFEXITED(status));
    assert_int_equal(unlinkat(dir, "a/out", 0) | unlinkat(dir, "out", 0), 0);
    assert_int_equal(unlinkat(dir, "a/b", AT_REMOVEDIR) | unlinkat(dir, "a", AT_REMOVEDIR), 0);
    close(dir);
    rmdir(path);
    return WEXITSTATUS(status);
}

static void nothing_outside_is_opened(void **state)
{
    (void)state;
    assert_int_equal(run_all(NULL), 0);
}

static void nor_by_a_kernel_without_openat2(void **state)
{
    (void)state;
    int wrong = run_all(forbid_openat2);
    if (wrong == 99)
        skip();
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_outside_is_opened),
        cmocka_unit_test(nor_by_a_kernel_without_openat2),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
