/* SPDX-License-Identifier: MIT */
/* loop.c - follow a process tree from one ptrace stop to the next
 *
 * With the filter a thread stops twice per file-system call: before it (PTRACE_EVENT_SECCOMP, where
 * the arguments are read) and after it (a syscall-stop, where the result is read). Without the
 * filter these two stops happen for every system call. ESRCH from any ptrace request means that the
 * thread was killed meanwhile; it is ignored, since waitpid() will report the thread's end. */
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
/* Seconds until the user is told that processes the program left behind are followed, and from
 * SIGTERM to SIGKILL. */
static const double PATIENCE_S = 2;

static void tracee_resume(const struct lc_session *s, const struct lc_tracee *t, int sig)
{
    bool see_end = t->call || !s->has_filter;

    ptrace(see_end ? PTRACE_SYSCALL : PTRACE_CONT, t->tid, 0, (void *)(intptr_t)sig);
}

static void event_report(struct lc_session *s, struct lc_tracee *t, long result)
{
    struct lc_trace_event event;
    const struct lc_call *call = t->call;

    lc_decode_exit(t, result, &event);
    if (s->is_recording && call->kind != LC_TRACE_SILENT)
        s->fn(s->arg, &event);
}

/* Calls of our own child before its execve do not belong to the program. */
static bool call_is_wanted(struct lc_session *s, const struct lc_tracee *t,
                           const struct lc_call *call)
{
    if (!s->is_started && t->tid == s->program && call->kind == LC_TRACE_EXEC) {
        s->is_started = true;
        s->start_ns = lc_clock_ns();
    }
    return s->is_started && s->is_recording;
}

/* Is this a call that the caller asked to leave out? */
static bool call_is_left_out(const struct lc_session *s, const struct lc_tracee *t,
                             const struct lc_call *call, const uint64_t args[6])
{
    return s->options->names_only &&
           (!lc_call_tells_names(call) || lc_decode_is_stat_of_descriptor(t->tid, call, args));
}

static void call_begin(struct lc_session *s, struct lc_tracee *t, const struct lc_registers *r)
{
    const struct lc_call *call = r->is_native ? lc_call_find(r->number) : NULL;

    if (s->is_recording)
        lc_cpu_pairing_note_stop(&s->pairing, t->tid);
    t->call = NULL;
    if (!r->is_native)
        s->outcome->has_foreign = true;
    if (!call || !call_is_wanted(s, t, call))
        return;
    if (call->number == SYS_io_uring_setup)
        s->outcome->has_io_uring = true;
    if (call->number == SYS_sched_getaffinity)
        lc_cpu_pairing_release(&s->pairing);
    if (call->number == SYS_sched_setaffinity)
        lc_cpu_pairing_end(&s->pairing);
    if (!call_is_left_out(s, t, call, r->args))
        lc_decode_entry(t, call, r->args);
}

static void on_filter_stop(struct lc_session *s, struct lc_tracee *t)
{
    struct lc_registers r;

    if (lc_registers_read(t->tid, false, &r) == 0)
        call_begin(s, t, &r);
    tracee_resume(s, t, 0);
}

static void on_syscall_stop(struct lc_session *s, struct lc_tracee *t)
{
    bool at_exit = s->has_filter || t->in_syscall;
    struct lc_registers r;

    if (lc_registers_read(t->tid, at_exit, &r) == 0) {
        if (r.has_side)
            at_exit = r.at_exit;
        if (!at_exit)
            call_begin(s, t, &r);
        else if (t->call)
            event_report(s, t, r.result);
    }
    t->in_syscall = !at_exit;
    tracee_resume(s, t, 0);
}

/* A thread other than the first has called execve: it takes over the first one's id, together with
 * the state of its call. The other threads have ended. */
static struct lc_tracee *exec_take_over(struct lc_session *s, struct lc_tracee *t)
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

/* A new program is about to run its first instruction. Its execve has succeeded, so the stop at the
 * call's end is not needed; without the filter it happens anyway. */
static void on_exec(struct lc_session *s, struct lc_tracee *t)
{
    struct lc_registers r;

    t = exec_take_over(s, t);
    if (lc_registers_read(t->tid, true, &r) == 0 && !r.is_native)
        s->outcome->has_foreign = true;
    if (t->call)
        event_report(s, t, 0);
    if (s->is_recording && s->options->executed)
        s->options->executed(s->arg, t->tid);
    t->in_syscall = true;
    tracee_resume(s, t, 0);
}

/* A thread or process was created. The new one stops by itself, before or after this event of its
 * parent; it is resumed when both have happened. */
static void on_birth(struct lc_session *s, struct lc_tracee *t)
{
    unsigned long id = 0;

    if (ptrace(PTRACE_GETEVENTMSG, t->tid, 0, &id) == 0 && id) {
        struct lc_tracee *child = lc_tracee_find(&s->tracees, (pid_t)id);
        lc_cpu_pairing_note_birth(&s->pairing, t->tid, (pid_t)id);
        if (child && child->is_held) {
            child->is_held = false;
            tracee_resume(s, child, 0);
        } else if (!child && s->announced_count < LC_SESSION_ANNOUNCED) {
            s->announced[s->announced_count++] = (pid_t)id;
        }
    }
    tracee_resume(s, t, 0);
}

/* Has the parent's event for this thread already happened? If so, remove it from the list. */
static bool was_announced(struct lc_session *s, pid_t tid)
{
    for (unsigned i = 0; i < s->announced_count; i++)
        if (s->announced[i] == tid) {
            s->announced[i] = s->announced[--s->announced_count];
            return true;
        }
    return false;
}

/* Resume threads that still wait for their parent's event: it never comes if the parent was killed
 * before. */
static void held_release(struct lc_session *s)
{
    for (unsigned i = 0; i < LC_TRACEE_BUCKETS; i++)
        for (struct lc_tracee *t = s->tracees.bucket[i]; t; t = t->next)
            if (t->is_held) {
                t->is_held = false;
                tracee_resume(s, t, 0);
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
        /* A pending signal is delivered to the program; all other stops concern only the tracer. */
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
        ptrace(PTRACE_LISTEN, t->tid, 0, 0); /* stay stopped, as requested */
    } else {
        tracee_resume(s, t, event ? 0 : sig);
    }
}

void lc_session_note_end(struct lc_session *s, pid_t tid, int status)
{
    lc_tracee_remove(&s->tracees, tid);
    was_announced(s, tid); /* it may have died before its first stop */
    if (s->pairing.tid == tid)
        lc_cpu_pairing_release(&s->pairing);
    if (tid != s->program)
        return;
    s->is_over = true;
    s->over_ns = lc_clock_ns();
    s->outcome->status = status;
    lc_signals_forward_to(0);
}

static void tracees_detach(struct lc_session *s)
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

static void tracees_signal(struct lc_session *s, int number)
{
    for (unsigned i = 0; i < LC_TRACEE_BUCKETS; i++)
        for (struct lc_tracee *t = s->tracees.bucket[i]; t; t = t->next)
            if (t->tid == t->pid)
                kill(t->tid, number);
}

static void program_end(struct lc_session *s)
{
    s->is_ending = s->outcome->was_ended = s->outcome->is_partial = true;
    s->is_recording = false;
    s->outcome->had_enough =
        !(s->options->for_s > 0 && seconds_since(s->start_ns) >= s->options->for_s);
    s->ending_ns = lc_clock_ns();
    tracees_signal(s, SIGTERM);
}

/* Has the program been traced for as long as requested? */
static bool is_watched_enough(const struct lc_session *s)
{
    const struct lc_trace_options *o = s->options;

    return s->is_started && ((o->for_s > 0 && seconds_since(s->start_ns) >= o->for_s) ||
                             (o->has_enough && o->has_enough(s->arg)));
}

/* Called 20 times a second, and when a signal asks the tracer to finish. */
static void on_tick(struct lc_session *s)
{
    const struct lc_trace_options *o = s->options;

    lc_cpu_pairing_note_tick(&s->pairing);
    if (s->tracees.alive > 0 && !s->is_letting_go)
        held_release(s);
    if (s->is_ending && seconds_since(s->ending_ns) >= PATIENCE_S)
        tracees_signal(s, SIGKILL);
    if (!s->is_recording)
        return;
    if (is_watched_enough(s))
        o->ends_program ? program_end(s) : tracees_detach(s);
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
            tracees_detach(s);
    }
}

/* The first stop of an unknown thread: it has just been created. */
static struct lc_tracee *tracee_welcome(struct lc_session *s, pid_t tid, int status)
{
    struct lc_tracee *t = lc_tracee_add(&s->tracees, tid);
    bool is_first_stop = (unsigned)status >> 16 == PTRACE_EVENT_STOP;

    if (!t)
        ptrace(PTRACE_DETACH, tid, 0, 0); /* out of memory */
    else
        t->is_held = is_first_stop && !was_announced(s, tid) && !s->is_letting_go;
    return t;
}

/* Handle one status from waitpid(). */
static void on_report(struct lc_session *s, pid_t tid, int status)
{
    struct lc_tracee *t = lc_tracee_find(&s->tracees, tid);

    if (!WIFSTOPPED(status))
        lc_session_note_end(s, tid, status);
    else if ((t || (t = tracee_welcome(s, tid, status))) && !t->is_held)
        on_stop(s, t, status);
}

/* Has recording ended, and have all threads been detached or ended that shall be? */
static bool recording_is_done(const struct lc_session *s)
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
            on_tick(s);
        if (while_recording && recording_is_done(s))
            return;
    }
}
