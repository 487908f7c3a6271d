/* SPDX-License-Identifier: MIT */
/* loop.c - follow a process tree from stop to stop
 *
 * With the filter a thread stops twice per file-system call: before it (PTRACE_EVENT_SECCOMP, where
 * the arguments are read) and after it (a syscall-stop, where the result is). Without it there are
 * the same two stops for every system call. ESRCH from any request means that the thread was killed
 * meanwhile; its end will be reported, so it is ignored.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace/calls.h"
#include "trace/company.h"
#include "trace/decode.h"
#include "trace/launch.h"
#include "trace/registers.h"
#include "trace/signals.h"
#include "trace/trace.h"
#include "trace/tracee.h"
#include "util/clock.h"
#include "util/path.h"

#ifndef PTRACE_EVENT_STOP
#define PTRACE_EVENT_STOP 128
#endif

enum { SYSCALL_STOP = SIGTRAP | 0x80 };
static const double PATIENCE_S = 2; /* before we say that we follow what the program left behind */

struct session {
    const struct lc_trace_options *options;
    struct lc_trace_outcome *outcome;
    lc_trace_fn fn;
    void *arg;
    struct lc_tracees tracees;
    struct lc_company company;
    pid_t program;
    bool has_filter;
    bool is_started;   /* the program's own execve has begun */
    bool is_over;      /* the program itself has ended */
    bool is_recording; /* false: let every call pass, unseen */
    bool is_letting_go;
    bool has_told;
    bool has_released; /* the caller knows that the program runs on */
    uint64_t start_ns, over_ns;
};

/* What is left to lc_trace_linger(): there is one traced tree per process. */
static struct session current;

static void resume(const struct session *s, const struct lc_tracee *t, int sig)
{
    bool see_end = t->call || !s->has_filter;

    ptrace(see_end ? PTRACE_SYSCALL : PTRACE_CONT, t->tid, 0, (void *)(intptr_t)sig);
}

static void report(struct session *s, struct lc_tracee *t, long result)
{
    struct lc_trace_event event;
    const struct lc_call *call = t->call;

    lc_decode_exit(t, result, &event);
    if (call->number == SYS_sched_getaffinity)
        lc_company_mend_answer(&s->company, t->tid, (pid_t)t->args[0], t->args[2], result);
    if (s->is_recording && call->kind != LC_TRACE_SILENT)
        s->fn(s->arg, &event);
}

/* Our own child's calls before its execve are not the program's. */
static bool is_wanted(struct session *s, const struct lc_tracee *t, const struct lc_call *call)
{
    if (!s->is_started && t->tid == s->program && call->kind == LC_TRACE_EXEC) {
        s->is_started = true;
        s->start_ns = lc_clock_ns();
    }
    return s->is_started && s->is_recording;
}

static void begin_call(struct session *s, struct lc_tracee *t, const struct lc_registers *r)
{
    const struct lc_call *call = r->is_native ? lc_call_find(r->number) : NULL;

    if (s->is_recording)
        lc_company_note_stop(&s->company, t->tid);
    t->call = NULL;
    if (!r->is_native)
        s->outcome->has_foreign = true;
    if (!call || !is_wanted(s, t, call))
        return;
    if (call->number == SYS_io_uring_setup)
        s->outcome->has_io_uring = true;
    if (call->number == SYS_sched_setaffinity)
        lc_company_note_set(&s->company, t->tid, (pid_t)r->args[0]);
    lc_decode_entry(t, call, r->args);
}

static void on_filter_stop(struct session *s, struct lc_tracee *t)
{
    struct lc_registers r;

    if (lc_registers_read(t->tid, false, &r) == 0)
        begin_call(s, t, &r);
    resume(s, t, 0);
}

static void on_syscall_stop(struct session *s, struct lc_tracee *t)
{
    bool at_exit = s->has_filter || t->in_syscall;
    struct lc_registers r;

    if (lc_registers_read(t->tid, at_exit, &r) == 0) {
        if (r.has_side)
            at_exit = r.at_exit;
        if (!at_exit)
            begin_call(s, t, &r);
        else if (t->call)
            report(s, t, r.result);
    }
    t->in_syscall = !at_exit;
    resume(s, t, 0);
}

/* exec by a thread that is not the first: it takes over the first one's id, and the call it was in
 * moves with it. The other threads are gone. */
static struct lc_tracee *take_over(struct session *s, struct lc_tracee *t)
{
    unsigned long former = 0;

    ptrace(PTRACE_GETEVENTMSG, t->tid, 0, &former);
    struct lc_tracee *old = lc_tracee_find(&s->tracees, (pid_t)former);
    if (!old || old == t)
        return t;
    struct lc_call_text *text = t->text;
    t->call = old->call;
    t->text = old->text;
    t->has_given = old->has_given;
    t->has_second = old->has_second;
    t->flags = old->flags;
    memcpy(t->args, old->args, sizeof(t->args));
    old->text = text;
    lc_tracee_remove(&s->tracees, (pid_t)former);
    lc_company_note_new_id(&s->company, (pid_t)former, t->tid);
    return t;
}

/* The new program stands before its first instruction. Its execve has succeeded, so there is no
 * need to stop again at the call's end; without the filter that stop comes anyway. */
static void on_exec(struct session *s, struct lc_tracee *t)
{
    struct lc_registers r;

    t = take_over(s, t);
    if (lc_registers_read(t->tid, true, &r) == 0 && !r.is_native)
        s->outcome->has_foreign = true;
    if (t->call)
        report(s, t, 0);
    t->in_syscall = true;
    resume(s, t, 0);
}

static void on_birth(struct session *s, struct lc_tracee *t)
{
    unsigned long child = 0;

    if (ptrace(PTRACE_GETEVENTMSG, t->tid, 0, &child) == 0 && child) {
        lc_company_note_birth(&s->company, t->tid, (pid_t)child);
        if (!lc_tracee_find(&s->tracees, (pid_t)child))
            lc_tracee_add(&s->tracees, (pid_t)child);
    }
    resume(s, t, 0);
}

static bool is_stop_signal(int sig)
{
    return sig == SIGSTOP || sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU;
}

static void on_stop(struct session *s, struct lc_tracee *t, int status)
{
    int sig = WSTOPSIG(status), event = (int)((unsigned)status >> 16);

    if (s->is_letting_go) {
        /* A signal on its way is delivered; everything else is ours alone. */
        bool is_delivery = event == 0 && sig != SYSCALL_STOP;
        ptrace(PTRACE_DETACH, t->tid, 0, (void *)(intptr_t)(is_delivery ? sig : 0));
        lc_tracee_remove(&s->tracees, t->tid);
    } else if (event == PTRACE_EVENT_SECCOMP) {
        on_filter_stop(s, t);
    } else if (event == 0 && sig == SYSCALL_STOP) {
        on_syscall_stop(s, t);
    } else if (event == PTRACE_EVENT_EXEC) {
        on_exec(s, t);
    } else if (event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK ||
               event == PTRACE_EVENT_CLONE) {
        on_birth(s, t);
    } else if (event == PTRACE_EVENT_STOP && is_stop_signal(sig)) {
        ptrace(PTRACE_LISTEN, t->tid, 0, 0); /* stay stopped, as the user wanted */
    } else {
        resume(s, t, event ? 0 : sig);
    }
}

static void on_end(struct session *s, pid_t tid, int status)
{
    lc_tracee_remove(&s->tracees, tid);
    lc_company_note_end(&s->company, tid);
    if (tid != s->program)
        return;
    s->is_over = true;
    s->over_ns = lc_clock_ns();
    s->outcome->status = status;
    lc_signals_forward_to(0);
    if (s->tracees.alive > 0)
        lc_signals_wake_after(0.05);
}

static void let_go(struct session *s)
{
    lc_company_release(&s->company);
    s->is_letting_go = true;
    s->is_recording = false;
    s->outcome->is_partial = true;
    for (unsigned i = 0; i < LC_TRACEE_BUCKETS; i++)
        for (struct lc_tracee *t = s->tracees.bucket[i]; t; t = t->next)
            ptrace(PTRACE_INTERRUPT, t->tid, 0, 0);
}

static double seconds_since(uint64_t then_ns)
{
    return (double)(lc_clock_ns() - then_ns) / 1e9;
}

/* A signal has interrupted the wait: a timer's, or somebody who wants us to finish. */
static void on_wake(struct session *s)
{
    const struct lc_trace_options *o = s->options;

    if (!s->is_recording)
        return;
    if (o->for_s > 0 && s->is_started && seconds_since(s->start_ns) >= o->for_s)
        let_go(s);
    if (!s->is_over || !s->is_recording)
        return;
    if (o->waiting && !s->has_told && seconds_since(s->over_ns) >= PATIENCE_S) {
        s->has_told = true;
        o->waiting(s->arg, s->tracees.alive);
    }
    if (lc_signals_asked_to_finish()) {
        s->outcome->is_partial = true;
        s->is_recording = false;
        if (!s->has_filter)
            let_go(s);
    }
}

/* All have been let go: what the caller does now delays nobody. */
static void tell_released(struct session *s)
{
    if (!s->is_letting_go || s->tracees.alive > 0 || s->has_released)
        return;
    s->has_released = true;
    if (s->options->released)
        s->options->released(s->arg);
}

/* Until all have ended, or have been let go and the program has ended; or recording has ended and
 * the caller wants to print. */
static void follow(struct session *s, bool while_recording)
{
    int status;

    while (s->tracees.alive > 0 || !s->is_over) {
        tell_released(s);
        pid_t tid = waitpid(-1, &status, __WALL);
        if (tid < 0 && errno != EINTR)
            return;
        if (tid < 0) {
            on_wake(s);
            if (while_recording && !s->is_recording && !s->is_letting_go)
                return;
            continue;
        }
        if (!WIFSTOPPED(status)) {
            on_end(s, tid, status);
            continue;
        }
        struct lc_tracee *t = lc_tracee_find(&s->tracees, tid);
        if (t || (t = lc_tracee_add(&s->tracees, tid)))
            on_stop(s, t, status);
        else
            ptrace(PTRACE_DETACH, tid, 0, 0); /* out of memory */
    }
}

static int explain_exec_failure(const char *program, int code, struct lc_error *err)
{
    errno = code;
    if (code == ENOEXEC)
        return lc_error_set(err,
                            "cannot run '%s': not a program the kernel can start; if it is a "
                            "script, give it a #! line or name its interpreter",
                            program);
    return lc_error_errno(err, "cannot run '%s'", program);
}

static void fill_outcome(struct session *s)
{
    s->outcome->processes = s->tracees.processes_seen;
    s->outcome->threads = s->tracees.threads_seen;
    s->outcome->has_filter = s->has_filter;
    s->outcome->wall_s = (double)(s->over_ns - s->start_ns) / 1e9;
}

int lc_trace_run(const struct lc_trace_options *options, char *const argv[], int out_fd,
                 lc_trace_fn fn, void *arg, struct lc_trace_outcome *outcome, struct lc_error *err)
{
    struct session *s = &current;
    char program[PATH_MAX];
    /* A filter cannot be taken off, so a program that is to be let go must never get it. */
    struct lc_launch launch = {.has_filter = !options->without_filter && options->for_s <= 0,
                               .out_fd = out_fd};

    *outcome = (struct lc_trace_outcome){0};
    *s = (struct session){options, outcome, fn, arg, .is_recording = true};
    if (lc_path_find_program(program, sizeof(program), argv[0], err) < 0)
        return -1;
    lc_signals_begin();
    if (lc_launch_start(&launch, program, argv, lc_signals_restore_in_child, err) < 0) {
        lc_signals_end();
        return -1;
    }
    s->program = launch.pid;
    s->has_filter = launch.has_filter;
    lc_tracee_add(&s->tracees, s->program);
    lc_company_begin(&s->company);
    lc_signals_forward_to(s->program);
    if (options->for_s > 0)
        lc_signals_wake_after(options->for_s);
    follow(s, true);
    lc_company_release(&s->company);
    int code = lc_launch_failure(&launch);
    fill_outcome(s);
    return code ? explain_exec_failure(argv[0], code, err) : 0;
}

void lc_trace_linger(void)
{
    current.is_recording = false;
    if (current.tracees.alive > 0)
        follow(&current, false);
    lc_tracee_remove_all(&current.tracees);
}
