/* SPDX-License-Identifier: MIT */
/* launch.c - start a program under ptrace
 *
 * The child waits until it has been seized, puts the filter on itself, says how that went, waits
 * again, and executes the program. PTRACE_SEIZE rather than PTRACE_TRACEME: only so can group-stops
 * be told from signals and be left in force.
 */
#include "trace/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace/filter.h"

enum {
    FOLLOW = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
             PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC,
    /* Under the filter a program without a tracer would see its calls fail with ENOSYS: better that
     * it ends with us. It takes a SIGKILL of the tracer itself to get there; see guard.h. */
    FOLLOW_FILTERED = FOLLOW | PTRACE_O_TRACESECCOMP | PTRACE_O_EXITKILL,
};

struct pipes {
    int go[2], report[2];
};

static void close_all(struct pipes *p)
{
    int *fd = p->go;

    for (int i = 0; i < 4; i++)
        if (fd[i] >= 0)
            close(fd[i]);
}

/* One byte, whatever signals come in between. */
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
    close(p->go[1]); /* so that we see the tracer's death as end of file */
    if (!wait_for_go(p))
        _exit(LC_EXIT_SELF);
    before();
    setpgid(0, l->group);
    if (l->out_fd != STDOUT_FILENO)
        dup2(l->out_fd, STDOUT_FILENO);
    char answer = l->has_filter && lc_filter_install() == 0 ? 'f' : '-';
    if (write(p->report[1], &answer, 1) != 1 || !wait_for_go(p))
        _exit(LC_EXIT_SELF);
    execv(program, argv);
    int code = errno;
    ssize_t sent = write(p->report[1], &code, sizeof(code));
    _exit(sent > 0 ? LC_EXIT_NOT_EXECUTABLE : LC_EXIT_SELF);
}

static int forbidden(struct lc_error *err)
{
    char scope = '?';
    FILE *f = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");

    if (f) {
        int c = fgetc(f);
        scope = c == EOF ? '?' : (char)c;
        fclose(f);
    }
    errno = EPERM; /* whatever a filter answered: callers ask for it */
    if (scope == '2' || scope == '3')
        return lc_error_set(err,
                            "ptrace is forbidden here (kernel.yama.ptrace_scope is %c); ask the "
                            "administrator for 1 or less, or for CAP_SYS_PTRACE",
                            scope);
    return lc_error_errno(err,
                          "ptrace is forbidden here (in a container ask for --cap-add=SYS_PTRACE; "
                          "under strace or a debugger leave that out)");
}

static void give_up(pid_t pid)
{
    int saved = errno;

    kill(pid, SIGKILL);
    while (waitpid(pid, NULL, __WALL) < 0 && errno == EINTR)
        ;
    errno = saved;
}

/* Without a filter every call must stop, and a seized thread has to be stopped once to ask for
 * that. It waits in a read, so the interruption is harmless. */
static void stop_at_every_call(pid_t pid)
{
    int status;

    ptrace(PTRACE_INTERRUPT, pid, 0, 0);
    while (waitpid(pid, &status, __WALL) < 0 && errno == EINTR)
        ;
    ptrace(PTRACE_SETOPTIONS, pid, 0, FOLLOW);
    ptrace(PTRACE_SYSCALL, pid, 0, 0);
}

static int attach(struct lc_traced_start *l, struct pipes *p, struct lc_error *err)
{
    char answer;

    if (ptrace(PTRACE_SEIZE, l->pid, 0, l->has_filter ? FOLLOW_FILTERED : FOLLOW) < 0)
        return forbidden(err);
    if (write(p->go[1], "g", 1) != 1 || !read_byte(p->report[0], &answer)) {
        errno = ECHILD;
        return lc_error_set(err, "the program to be traced did not start");
    }
    l->has_filter = answer == 'f';
    if (!l->has_filter)
        stop_at_every_call(l->pid);
    if (write(p->go[1], "g", 1) != 1)
        return lc_error_errno(err, "the program to be traced did not start");
    return 0;
}

int lc_traced_start_start(struct lc_traced_start *l, const char *program, char *const argv[],
                          void (*before)(void), struct lc_error *err)
{
    struct pipes p = {{-1, -1}, {-1, -1}};

    if (pipe2(p.go, O_CLOEXEC) < 0 || pipe2(p.report, O_CLOEXEC) < 0 || (l->pid = fork()) < 0) {
        close_all(&p);
        return lc_error_errno(err, "cannot start '%s'", program);
    }
    if (l->pid == 0)
        run_child(l, &p, program, argv, before);
    close(p.report[1]);
    p.report[1] = -1;
    if (attach(l, &p, err) < 0) {
        give_up(l->pid);
        close_all(&p);
        return -1;
    }
    l->report_fd = p.report[0];
    p.report[0] = -1;
    close_all(&p);
    return 0;
}

int lc_traced_start_failure(struct lc_traced_start *l)
{
    int code = 0;

    if (read(l->report_fd, &code, sizeof(code)) != (ssize_t)sizeof(code))
        code = 0;
    close(l->report_fd);
    return code;
}
