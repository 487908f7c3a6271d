/* SPDX-License-Identifier: MIT */
/* preflight.c - determine what a program would load at its start, and whether that would succeed.
 * Freestanding. */
#include "node/preflight.h"

#include <linux/fcntl.h>
#include <linux/mman.h>
#include <linux/prctl.h>
#include <linux/wait.h>

#include "image/bytes.h"
#include "node/audit_fit.h"
#include "node/bind_mode.h"
#include "node/glibc_versions.h"
#include "node/syscall.h"

enum {
    DIED = 9 /* SIGKILL */,
    ENDED = 17 /* SIGCHLD */,
    INVALID = 22 /* EINVAL */,
    NOT_RUN = 126,
    MOST_OURS = 8
};

/* Enough room for every program; it is reserved only, and takes no memory. */
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

static char *text_put(char *at, const char *text)
{
    size_t n = lc_bytes_length(text);

    lc_bytes_move(at, text, n + 1);
    return at + n;
}

/* The environment for ld.so; a mapping, with its size in *size. NULL: no memory. */
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
    text = text_put(text_put(text, "LD_AUDIT="), audit) + 1;
    out[at++] = text;
    text = text_put(text_put(text_put(text, "GLIBC_TUNABLES="), tunables ? tunables : ""),
                    tunables && tunables[0] ? AMPLE : &AMPLE[1]) +
           1;
    out[at++] = text;
    text = text_put(text, LC_PREFLIGHT_VARIABLE "=");
    if (fd >= 100)
        *text++ = (char)('0' + fd / 100 % 10);
    if (fd >= 10)
        *text++ = (char)('0' + fd / 10 % 10);
    *text++ = (char)('0' + fd % 10);
    return out;
}

/* In the child: execute ld.so, with its output discarded. */
_Noreturn static void exec_ld_so(const char *file, char **env, int fd)
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

void lc_preflight_count(struct lc_preflight *out, const struct lc_preflight_object *o)
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

/* Read the measured objects until ld.so ends. False if there were none. */
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
        lc_preflight_count(out, &o);
        any = true;
    }
}

/* Fork a child whose end sends no SIGCHLD, as long as it does not call execve. qemu's emulation of
 * user programs knows no such children. */
static long fork_quietly(void)
{
    long pid = lc_sys6(__NR_clone, 0, 0, 0, 0, 0, 0);

    return pid == -INVALID ? lc_sys6(__NR_clone, ENDED, 0, 0, 0, 0, 0) : pid;
}

static int child_wait(long pid)
{
    int status = 0;
    long rc;

    do
        rc = LC_SYS4(__NR_wait4, pid, &status, __WALL, 0);
    while (rc == -4 /* EINTR */);
    return rc == pid ? status : -1;
}

/* Make a pipe with descriptors above the child's standard ones, even if those are closed here. */
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
        exec_ld_so(file, its, fd[1]);
    close_pipe_end(&fd[1]);
    is_run = pid > 0 && read_objects(out, fd[0]);
    close_pipe_end(&fd[0]);
    int status = pid > 0 ? child_wait(pid) : -1;
    if (its)
        lc_sys_munmap(its, size);
    out->has_failed = status != 0;
    return is_run && status >= 0 && status != NOT_RUN << 8;
}

bool lc_preflight_is_fit(const struct lc_preflight *seen)
{
    return !seen->has_failed && !seen->has_asan && !lc_glibc_audit_is_harmful(seen->glibc) &&
           seen->tls_bytes <= lc_fit_free(seen->glibc) &&
           (seen->tls_objects <= LC_GLIBC_SAFE_TLS_OBJECTS || seen->glibc <= LC_GLIBC_DTV_HIGHEST);
}

/* The handlers of signals belong to the user's program. */
static void signals_block(void)
{
    const uint64_t all = ~(uint64_t)0;

    LC_SYS4(__NR_rt_sigprocmask, 0 /* SIG_BLOCK */, &all, 0, sizeof(all));
}

bool lc_preflight_fits(const char *file, char *const *env, const char *audit)
{
    struct lc_preflight seen;
    long pid = fork_quietly();

    if (pid == 0) {
        signals_block();
        int code =
            lc_preflight_run(&seen, file, env, audit) && lc_preflight_is_fit(&seen) ? 0 : NOT_RUN;
        for (;;)
            LC_SYS3(__NR_exit_group, code, 0, 0);
    }
    return pid > 0 && child_wait(pid) == 0;
}

/* In the child: start the program in a grandchild and wait for it. After an execve the end of a
 * process always sends SIGCHLD; here it goes to this child and not to the user's process. */
_Noreturn static void run_from_child(const char *file, char *const argv[], char *const env[])
{
    signals_block();
    long pid = fork_quietly();
    if (pid == 0)
        LC_SYS3(__NR_execve, file, argv, env);
    int code = pid > 0 && child_wait(pid) == 0 ? 0 : NOT_RUN;
    for (;;)
        LC_SYS3(__NR_exit_group, code, 0, 0);
}

bool lc_preflight_wait_for(const char *file, char *const argv[], char *const env[])
{
    long pid = fork_quietly();

    if (pid == 0)
        run_from_child(file, argv, env);
    return pid > 0 && child_wait(pid) == 0;
}
