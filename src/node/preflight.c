/* SPDX-License-Identifier: MIT */
/* preflight.c - what would a program load at start, and would that succeed? Freestanding. */
#include "node/preflight.h"

#include <linux/fcntl.h>
#include <linux/mman.h>
#include <linux/prctl.h>
#include <linux/wait.h>

#include "image/bytes.h"
#include "node/audit_fit.h"
#include "node/bind_mode.h"
#include "node/syscall.h"

enum { DIED = 9 /* SIGKILL */, NOT_RUN = 126, MOST_OURS = 8 };

/* So large that no program fails for want of it; none of it becomes memory. */
#define AMPLE ":" LC_TLS_TUNABLE "=16777216"

static bool is_replaced(const char *variable)
{
    static const char *const name[] = {
        "LD_AUDIT", "GLIBC_TUNABLES", "LD_TRACE_LOADED_OBJECTS", "LD_WARN",       "LD_VERBOSE",
        "LD_DEBUG", "LD_BIND_NOW",    LC_PREFLIGHT_VARIABLE,     LC_BIND_VARIABLE};

    for (unsigned i = 0; i < sizeof(name) / sizeof(*name); i++)
        if (lc_fit_value(variable, name[i]))
            return true;
    return false;
}

static char *put(char *at, const char *text)
{
    size_t n = lc_bytes_length(text);

    lc_bytes_move(at, text, n + 1);
    return at + n;
}

/* The environment for ld.so; mapped, with its size in *size. NULL: no memory. */
static char **make_environment(char *const *env, const char *audit, int fd, size_t *size)
{
    const char *tunables = lc_fit_variable(env, "GLIBC_TUNABLES");
    size_t count = 0, at = 0;

    while (env[count])
        count++;
    *size = (count + MOST_OURS) * sizeof(char *) + lc_bytes_length(audit) +
            (tunables ? lc_bytes_length(tunables) : 0) + 256;
    char **out = lc_sys_mmap(*size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    if (lc_sys_is_error(out))
        return NULL;
    for (size_t i = 0; i < count; i++)
        if (!is_replaced(env[i]))
            out[at++] = env[i];
    char *text = (char *)(out + count + MOST_OURS);
    const char *const fixed[] = {"LD_TRACE_LOADED_OBJECTS=1", "LD_WARN=1", LC_BIND_VARIABLE "=0"};
    for (unsigned i = 0; i < 3; i++)
        out[at++] = (char *)(uintptr_t)fixed[i];
    out[at++] = text;
    text = put(put(text, "LD_AUDIT="), audit) + 1;
    out[at++] = text;
    text = put(put(put(text, "GLIBC_TUNABLES="), tunables ? tunables : ""),
               tunables && tunables[0] ? AMPLE : &AMPLE[1]) +
           1;
    out[at++] = text;
    text = put(text, LC_PREFLIGHT_VARIABLE "=");
    if (fd >= 100)
        *text++ = (char)('0' + fd / 100 % 10);
    if (fd >= 10)
        *text++ = (char)('0' + fd / 10 % 10);
    *text++ = (char)('0' + fd % 10);
    return out;
}

/* In the child. What ld.so prints is of no interest. */
_Noreturn static void become(const char *file, char **env, int fd)
{
    char *const argv[] = {(char *)(uintptr_t)file, NULL};
    long null = lc_sys_open("/dev/null", O_RDWR);

    LC_SYS3(__NR_prctl, PR_SET_PDEATHSIG, DIED, 0);
    LC_SYS3(__NR_fcntl, fd, F_SETFD, 0);
    for (int i = 0; null >= 0 && i < 3; i++)
        if (i != null)
            LC_SYS3(__NR_dup3, null, i, 0);
    if (null >= 0)
        LC_SYS3(__NR_execve, file, argv, env);
    for (;;)
        LC_SYS3(__NR_exit_group, NOT_RUN, 0, 0);
}

static void take_object(struct lc_preflight *out, const struct lc_preflight_object *o)
{
    if (!(o->flags & LC_OBJECT_PROGRAM))
        out->tls_bytes += o->tls_bytes;
    out->tls_objects += o->tls_bytes > 0;
    out->staged += (o->flags & LC_OBJECT_STAGED) != 0;
    out->has_asan |= (o->flags & LC_OBJECT_ASAN) != 0;
    out->has_tunable |= (o->flags & LC_OBJECT_TUNABLE) != 0;
    if (o->glibc > out->glibc)
        out->glibc = o->glibc;
}

/* Until ld.so ends. False: nothing came. */
static bool read_objects(struct lc_preflight *out, int fd)
{
    struct lc_preflight_object o;
    bool any = false;

    for (;;) {
        long n = lc_sys_read(fd, &o, sizeof(o));
        if (n == -4 /* EINTR */)
            continue;
        if (n != (long)sizeof(o))
            return any;
        take_object(out, &o);
        any = true;
    }
}

/* No signal is sent when it ends, as long as it executes nothing. */
static long fork_quietly(void)
{
    return lc_sys6(__NR_clone, 0, 0, 0, 0, 0, 0);
}

static int wait_for(long pid)
{
    int status = 0;
    long rc;

    do
        rc = LC_SYS4(__NR_wait4, pid, &status, __WALL, 0);
    while (rc == -4 /* EINTR */);
    return rc == pid ? status : -1;
}

/* Beyond what the child's standard descriptors will be, even where they are closed here. */
static bool open_pipe(int fd[2])
{
    if (LC_SYS3(__NR_pipe2, fd, O_CLOEXEC, 0) != 0)
        return false;
    for (int i = 0; i < 2; i++) {
        long moved = fd[i] < 3 ? LC_SYS3(__NR_fcntl, fd[i], F_DUPFD_CLOEXEC, 3) : fd[i];
        if (moved != fd[i])
            lc_sys_close(fd[i]);
        fd[i] = (int)moved;
    }
    return fd[0] >= 0 && fd[1] >= 0 && fd[1] < 1000;
}

static void close_pipe_end(int *fd)
{
    if (*fd >= 0)
        lc_sys_close(*fd);
    *fd = -1;
}

bool lc_preflight_run(struct lc_preflight *out, const char *file, char *const *env,
                      const char *audit)
{
    int fd[2] = {-1, -1};
    size_t size = 0;
    bool is_run = open_pipe(fd);
    char **its = is_run ? make_environment(env, audit, fd[1], &size) : NULL;
    long pid = its ? fork_quietly() : -1;

    *out = (struct lc_preflight){0};
    if (pid == 0)
        become(file, its, fd[1]);
    close_pipe_end(&fd[1]);
    is_run = pid > 0 && read_objects(out, fd[0]);
    close_pipe_end(&fd[0]);
    int status = pid > 0 ? wait_for(pid) : -1;
    if (its)
        lc_sys_munmap(its, size);
    out->has_failed = status != 0;
    return is_run && status >= 0 && status != NOT_RUN << 8;
}

/* A process that executes something sends a signal when it ends, whatever was agreed. So one that
 * does not stands between, with all signals blocked: their handlers are not its own. */
_Noreturn static void stand_between(const char *file, char *const argv[], char *const env[])
{
    const uint64_t all = ~(uint64_t)0;

    LC_SYS4(__NR_rt_sigprocmask, 0 /* SIG_BLOCK */, &all, 0, sizeof(all));
    long pid = fork_quietly();
    if (pid == 0)
        LC_SYS3(__NR_execve, file, argv, env);
    int code = pid > 0 && wait_for(pid) == 0 ? 0 : NOT_RUN;
    for (;;)
        LC_SYS3(__NR_exit_group, code, 0, 0);
}

bool lc_preflight_wait_for(const char *file, char *const argv[], char *const env[])
{
    long pid = fork_quietly();

    if (pid == 0)
        stand_between(file, argv, env);
    return pid > 0 && wait_for(pid) == 0;
}
