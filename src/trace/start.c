/* SPDX-License-Identifier: MIT */
/* start.c - start a program under ptrace, with a seccomp filter that stops it at file-system calls
 * only
 *
 * The child waits until it has been seized, installs the filter on itself, reports whether that
 * worked, waits again, and executes the program. PTRACE_SEIZE is used instead of PTRACE_TRACEME
 * because only then can group-stops be told from signals and be kept in force. */
#include "trace/start.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace/calls.h"
#include "trace/register_layout.h"
#include "trace/registers.h"

#define STMT(code, k)          (struct sock_filter) BPF_STMT(code, k)
#define JUMP(code, k, yes, no) (struct sock_filter) BPF_JUMP(code, k, yes, no)
#define LOAD(field)            STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define IF_EQUAL(k, yes, no)   JUMP(BPF_JMP | BPF_JEQ | BPF_K, k, yes, no)

enum { FILTER_MOST = LC_CALLS_MOST + 16 };

/* Assemble the seccomp filter. Calls of another architecture are allowed; calls in the table, and
 * mmap of a file, stop for the tracer; all others are allowed. With 'names_only' those that tell no
 * names are allowed, too. Jumps go forward only and reach at most 255 instructions, which the
 * length of the table respects. */
static size_t filter_assemble(struct sock_filter *f, bool names_only)
{
    unsigned number[LC_CALLS_MOST];
    size_t all, count = 0, n = 0;
    const struct lc_call *call = lc_call_table(&all);

    for (size_t i = 0; i < all; i++)
        if (!names_only || lc_call_tells_names(&call[i]))
            number[count++] = (unsigned)call[i].number;
    const size_t allow = 4 + count, mmap_check = allow + 1, trace = allow + 4;

#define TO(label) (unsigned char)((label)-n - 1)
    f[n++] = LOAD(arch);
    f[n] = IF_EQUAL(LC_REGISTERS_HERE.arch, 0, TO(allow)), n++;
    f[n++] = LOAD(nr);
    f[n] = IF_EQUAL(SYS_mmap, TO(names_only ? allow : mmap_check), 0), n++;
    for (size_t i = 0; i < count; i++, n++)
        f[n] = IF_EQUAL(number[i], TO(trace), 0);
    f[n++] = STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    f[n++] =
        LOAD(args[3]); /* low half of the flags: both supported architectures are little-endian */
    f[n] = JUMP(BPF_JMP | BPF_JSET | BPF_K, MAP_ANONYMOUS, TO(trace - 1), TO(trace)), n++;
    f[n++] = STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    f[n++] = STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
#undef TO
    return n;
}

/* Install the filter for this process and all its descendants. Without privilege this also sets
 * no_new_privs. 0, or -1 with errno. From then on the calls of the table fail with ENOSYS unless a
 * tracer handles them; a filter cannot be removed. */
static int filter_install(bool names_only)
{
    struct sock_filter code[FILTER_MOST];
    struct sock_fprog program = {.len = (unsigned short)filter_assemble(code, names_only),
                                 .filter = code};

    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0)
        return 0;
    if (errno != EACCES || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return -1;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

enum {
    FOLLOW = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
             PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC,
    /* Under the filter, a program without a tracer would see its calls fail with ENOSYS, so it is
       killed if the tracer dies. That takes a SIGKILL of the tracer itself; see guard.h. */
    FOLLOW_FILTERED = FOLLOW | PTRACE_O_TRACESECCOMP | PTRACE_O_EXITKILL,
};

struct pipes {
    int go[2], report[2];
};

static void pipes_close(struct pipes *p)
{
    int *fd = p->go;

    for (int i = 0; i < 4; i++)
        if (fd[i] >= 0)
            close(fd[i]);
}

/* Read one byte, repeated if a signal interrupts. */
static bool read_byte(int fd, char *byte)
{
    ssize_t n;

    do
        n = read(fd, byte, 1);
    while (n < 0 && errno == EINTR);
    return n == 1;
}

static bool wait_for_go(const struct pipes *p)
{
    char byte;

    return read_byte(p->go[0], &byte);
}

static _Noreturn void run_child(const struct lc_traced_start *l, struct pipes *p,
                                const char *program, char *const argv[], void (*before)(void))
{
    close(p->go[1]); /* so that the end of the tracer is an end of file here */
    if (!wait_for_go(p))
        _exit(LC_EXIT_SELF);
    before();
    setpgid(0, l->group);
    if (l->out_fd != STDOUT_FILENO)
        dup2(l->out_fd, STDOUT_FILENO);
    char answer = l->has_filter && filter_install(l->names_only) == 0 ? 'f' : '-';
    if (write(p->report[1], &answer, 1) != 1 || !wait_for_go(p))
        _exit(LC_EXIT_SELF);
    execv(program, argv);
    int code = errno;
    ssize_t sent = write(p->report[1], &code, sizeof(code));
    _exit(sent > 0 ? LC_EXIT_NOT_EXECUTABLE : LC_EXIT_SELF);
}

static int ptrace_forbidden(struct lc_error *err)
{
    char scope = '?';
    FILE *f = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");

    if (f) {
        int c = fgetc(f);
        scope = c == EOF ? '?' : (char)c;
        fclose(f);
    }
    errno = EPERM; /* callers check for EPERM, whatever errno the container's filter returned */
    if (scope == '2' || scope == '3')
        return lc_error_set(err,
                            "ptrace is forbidden here (kernel.yama.ptrace_scope is %c); ask the "
                            "administrator for 1 or less, or for CAP_SYS_PTRACE",
                            scope);
    return lc_error_errno(err,
                          "ptrace is forbidden here (in a container ask for --cap-add=SYS_PTRACE; "
                          "under strace or a debugger leave that out)");
}

static void child_kill(pid_t pid)
{
    int saved = errno;

    kill(pid, SIGKILL);
    while (waitpid(pid, NULL, __WALL) < 0 && errno == EINTR)
        ;
    errno = saved;
}

/* Without a filter the thread must stop at every call. A seized thread has to be stopped once to
 * request this; it waits in a read(), which the stop does not disturb. */
static void child_stop_at_every_call(pid_t pid)
{
    int status;

    ptrace(PTRACE_INTERRUPT, pid, 0, 0);
    while (waitpid(pid, &status, __WALL) < 0 && errno == EINTR)
        ;
    ptrace(PTRACE_SETOPTIONS, pid, 0, FOLLOW);
    ptrace(PTRACE_SYSCALL, pid, 0, 0);
}

static int child_attach(struct lc_traced_start *l, struct pipes *p, struct lc_error *err)
{
    char answer;

    if (ptrace(PTRACE_SEIZE, l->pid, 0, l->has_filter ? FOLLOW_FILTERED : FOLLOW) < 0)
        return ptrace_forbidden(err);
    if (write(p->go[1], "g", 1) != 1 || !read_byte(p->report[0], &answer)) {
        errno = ECHILD;
        return lc_error_set(err, "the program to be traced did not start");
    }
    l->has_filter = answer == 'f';
    if (!l->has_filter)
        child_stop_at_every_call(l->pid);
    if (write(p->go[1], "g", 1) != 1)
        return lc_error_errno(err, "the program to be traced did not start");
    return 0;
}

int lc_traced_start_program(struct lc_traced_start *l, const char *program, char *const argv[],
                            void (*before)(void), struct lc_error *err)
{
    struct pipes p = {{-1, -1}, {-1, -1}};

    if (pipe2(p.go, O_CLOEXEC) < 0 || pipe2(p.report, O_CLOEXEC) < 0 || (l->pid = fork()) < 0) {
        pipes_close(&p);
        return lc_error_errno(err, "cannot start '%s'", program);
    }
    if (l->pid == 0)
        run_child(l, &p, program, argv, before);
    close(p.report[1]);
    p.report[1] = -1;
    if (child_attach(l, &p, err) < 0) {
        child_kill(l->pid);
        pipes_close(&p);
        return -1;
    }
    l->report_fd = p.report[0];
    p.report[0] = -1;
    pipes_close(&p);
    return 0;
}

int lc_traced_start_exec_error(struct lc_traced_start *l)
{
    int code = 0;

    if (read(l->report_fd, &code, sizeof(code)) != (ssize_t)sizeof(code))
        code = 0;
    close(l->report_fd);
    return code;
}
