/* SPDX-License-Identifier: MIT */
/* loop.c - follow a process tree from stop to stop
 *
 * With the filter a thread stops twice per file-system call: before it (PTRACE_EVENT_SECCOMP, where
 * the arguments are read) and after it (a syscall-stop, where the result is). Without it there are
 * the same two stops for every system call. ESRCH from any request means that the thread was killed
 * meanwhile; its end will be reported, so it is ignored.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "trace/calls.h"
#include "trace/decode.h"
#include "trace/registers.h"
#include "trace/session.h"
#include "trace/signals.h"
#include "util/clock.h"

#ifndef PTRACE_EVENT_STOP
#define PTRACE_EVENT_STOP 128
#endif

enum { SYSCALL_STOP = SIGTRAP | 0x80 };
static const double PATIENCE_S = 2; /* before we say that we follow what the program left behind */

static void resume(const struct lc_session *s, const struct lc_tracee *t, int sig)
{
    bool see_end = t->call || !s->has_filter;

    ptrace(see_end ? PTRACE_SYSCALL : PTRACE_CONT, t->tid, 0, (void *)(intptr_t)sig);
}

static void report(struct lc_session *s, struct lc_tracee *t, long result)
{
    struct lc_trace_event event;
    const struct lc_call *call = t->call;

    lc_decode_exit(t, result, &event);
    if (s->is_recording && call->kind != LC_TRACE_SILENT)
        s->fn(s->arg, &event);
}

/* Our own child's calls before its execve are not the program's. */
static bool is_wanted(struct lc_session *s, const struct lc_tracee *t, const struct lc_call *call)
{
    if (!s->is_started && t->tid == s->program && call->kind == LC_TRACE_EXEC) {
        s->is_started = true;
        s->start_ns = lc_clock_ns();
    }
    return s->is_started && s->is_recording;
}

static void begin_call(struct lc_session *s, struct lc_tracee *t, const struct lc_registers *r)
{
    const struct lc_call *call = r->is_native ? lc_call_find(r->number) : NULL;

    if (s->is_recording)
        lc_cpu_pairing_note_stop(&s->pairing, t->tid);
    t->call = NULL;
    if (!r->is_native)
        s->outcome->has_foreign = true;
    if (!call || !is_wanted(s, t, call))
        return;
    if (call->number == SYS_io_uring_setup)
        s->outcome->has_io_uring = true;
    if (call->number == SYS_sched_getaffinity)
        lc_cpu_pairing_release(&s->pairing);
    if (call->number == SYS_sched_setaffinity)
        lc_cpu_pairing_end(&s->pairing);
    lc_decode_entry(t, call, r->args);
}

static void on_filter_stop(struct lc_session *s, struct lc_tracee *t)
{
    struct lc_registers r;

    if (lc_registers_read(t->tid, false, &r) == 0)
        begin_call(s, t, &r);
    resume(s, t, 0);
}

static void on_syscall_stop(struct lc_session *s, struct lc_tracee *t)
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
static struct lc_tracee *take_over(struct lc_session *s, struct lc_tracee *t)
{
    unsigned long former = 0;

    lc_cpu_pairing_release(&s->pairing);
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
    return t;
}

/* The new program stands before its first instruction. Its execve has succeeded, so there is no
 * need to stop again at the call's end; without the filter that stop comes anyway. */
static void on_exec(struct lc_session *s, struct lc_tracee *t)
{
    struct lc_registers r;

    t = take_over(s, t);
    if (lc_registers_read(t->tid, true, &r) == 0 && !r.is_native)
        s->outcome->has_foreign = true;
    if (t->call)
        report(s, t, 0);
    if (s->is_recording && s->options->executed)
        s->options->executed(s->arg, t->tid);
    t->in_syscall = true;
    resume(s, t, 0);
}

/* A newborn stops by itself, before or after its parent's event says that it is there; it goes on
 * when both have come. */
static void on_birth(struct lc_session *s, struct lc_tracee *t)
{
    unsigned long id = 0;

    if (ptrace(PTRACE_GETEVENTMSG, t->tid, 0, &id) == 0 && id) {
        struct lc_tracee *child = lc_tracee_find(&s->tracees, (pid_t)id);
        lc_cpu_pairing_note_birth(&s->pairing, t->tid, (pid_t)id);
        if (child && child->is_held) {
            child->is_held = false;
            resume(s, child, 0);
        } else if (!child && s->announced_count < LC_SESSION_ANNOUNCED) {
            s->announced[s->announced_count++] = (pid_t)id;
        }
    }
    resume(s, t, 0);
}

/* Its parent's event has come already? Then forget it, and say so. */
static bool was_announced(struct lc_session *s, pid_t tid)
{
    for (unsigned i = 0; i < s->announced_count; i++)
        if (s->announced[i] == tid) {
            s->announced[i] = s->announced[--s->announced_count];
            return true;
        }
    return false;
}

/* If a parent is killed before its event, nobody will announce the child: do not wait for ever. */
static void release_held(struct lc_session *s)
{
    for (unsigned i = 0; i < LC_TRACEE_BUCKETS; i++)
        for (struct lc_tracee *t = s->tracees.bucket[i]; t; t = t->next)
            if (t->is_held) {
                t->is_held = false;
                resume(s, t, 0);
            }
}

static bool is_stop_signal(int sig)
{
    return sig == SIGSTOP || sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU;
}

static void on_stop(struct lc_session *s, struct lc_tracee *t, int status)
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

void lc_session_note_end(struct lc_session *s, pid_t tid, int status)
{
    lc_tracee_remove(&s->tracees, tid);
    was_announced(s, tid); /* it died before it could stop */
    if (s->pairing.tid == tid)
        lc_cpu_pairing_release(&s->pairing);
    if (tid != s->program)
        return;
    s->is_over = true;
    s->over_ns = lc_clock_ns();
    s->outcome->status = status;
    lc_signals_forward_to(0);
}

static void let_go(struct lc_session *s)
{
    lc_cpu_pairing_end(&s->pairing);
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

static void signal_all(struct lc_session *s, int number)
{
    for (unsigned i = 0; i < LC_TRACEE_BUCKETS; i++)
        for (struct lc_tracee *t = s->tracees.bucket[i]; t; t = t->next)
            if (t->tid == t->pid)
                kill(t->tid, number);
}

static void end_program(struct lc_session *s)
{
    s->is_ending = s->outcome->was_ended = s->outcome->is_partial = true;
    s->is_recording = false;
    s->outcome->had_enough =
        !(s->options->for_s > 0 && seconds_since(s->start_ns) >= s->options->for_s);
    s->ending_ns = lc_clock_ns();
    signal_all(s, SIGTERM);
}

/* Has the program been watched for long enough? */
static bool is_time_over(const struct lc_session *s)
{
    const struct lc_trace_options *o = s->options;

    return s->is_started && ((o->for_s > 0 && seconds_since(s->start_ns) >= o->for_s) ||
                             (o->has_enough && o->has_enough(s->arg)));
}

/* A tick of the clock, or somebody who wants us to finish. */
static void on_wake(struct lc_session *s)
{
    const struct lc_trace_options *o = s->options;

    lc_cpu_pairing_note_tick(&s->pairing);
    if (s->tracees.alive > 0 && !s->is_letting_go)
        release_held(s);
    if (s->is_ending && seconds_since(s->ending_ns) >= PATIENCE_S)
        signal_all(s, SIGKILL);
    if (!s->is_recording)
        return;
    if (is_time_over(s))
        o->ends_program ? end_program(s) : let_go(s);
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

/* The first stop of a thread we do not know: a newborn. */
static struct lc_tracee *welcome(struct lc_session *s, pid_t tid, int status)
{
    struct lc_tracee *t = lc_tracee_add(&s->tracees, tid);
    bool is_first_stop = (unsigned)status >> 16 == PTRACE_EVENT_STOP;

    if (!t)
        ptrace(PTRACE_DETACH, tid, 0, 0); /* out of memory */
    else
        t->is_held = is_first_stop && !was_announced(s, tid) && !s->is_letting_go;
    return t;
}

/* One report of waitpid(). */
static void on_report(struct lc_session *s, pid_t tid, int status)
{
    struct lc_tracee *t = lc_tracee_find(&s->tracees, tid);

    if (!WIFSTOPPED(status))
        lc_session_note_end(s, tid, status);
    else if ((t || (t = welcome(s, tid, status))) && !t->is_held)
        on_stop(s, t, status);
}

/* Is it time to print? When recording has ended, and all that are to be let go have been. */
static bool has_enough(const struct lc_session *s)
{
    bool is_waiting = s->is_letting_go || s->is_ending;

    return !s->is_recording && (!is_waiting || s->tracees.alive == 0);
}

void lc_session_follow(struct lc_session *s, bool while_recording)
{
    int status;

    for (;;) {
        pid_t tid = waitpid(-1, &status, __WALL);
        if (tid < 0 && errno != EINTR)
            return;
        if (tid > 0)
            on_report(s, tid, status);
        if (lc_signals_woken())
            on_wake(s);
        if (while_recording && has_enough(s))
            return;
    }
}
