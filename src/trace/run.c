/* SPDX-License-Identifier: MIT */
/* run.c - start a program, follow it, and say what became of it */
#include <errno.h>
#include <limits.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace/start.h"
#include "trace/session.h"
#include "trace/signals.h"
#include "util/clock.h"
#include "util/path.h"

/* The traced process tree, of which there is one per process; lc_trace_linger() continues it. */
static struct lc_session current;

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

static void fill_outcome(struct lc_session *s)
{
    s->outcome->processes = s->tracees.processes_seen;
    s->outcome->threads = s->tracees.threads_seen;
    s->outcome->has_filter = s->has_filter;
    s->outcome->is_running = !s->is_over;
    s->outcome->wall_s = (double)((s->is_over ? s->over_ns : lc_clock_ns()) - s->start_ns) / 1e9;
}

int lc_trace_run(const struct lc_trace_options *options, char *const argv[], int out_fd,
                 lc_trace_fn fn, void *arg, struct lc_trace_outcome *outcome, struct lc_error *err)
{
    struct lc_session *s = &current;
    char program[PATH_MAX];
    /* A filter cannot be removed, so a program that will be detached must not get one. */
    bool lets_go = (options->for_s > 0 || options->has_enough) && !options->ends_program;
    struct lc_traced_start start = {.has_filter = !options->without_filter && !lets_go,
                                    .names_only = options->names_only,
                                    .out_fd = out_fd,
                                    .group = options->group ? options->group : getpgrp()};

    *outcome = (struct lc_trace_outcome){0};
    *s = (struct lc_session){options, outcome, fn, arg, .is_recording = true};
    if (lc_path_find_program(program, sizeof(program), argv[0], err) < 0)
        return -1;
    lc_signals_begin(NULL);
    if (lc_traced_start_program(&start, program, argv, lc_signals_restore_in_child, err) < 0) {
        lc_signals_end();
        return -1;
    }
    s->program = start.pid;
    s->has_filter = start.has_filter;
    lc_tracee_add(&s->tracees, s->program);
    if (start.has_filter) /* not with --for: a detached thread must not stay bound to a CPU */
        lc_cpu_pairing_begin(&s->pairing);
    lc_signals_forward_to(s->program);
    lc_session_follow(s, true);
    lc_cpu_pairing_end(&s->pairing);
    int code = s->is_over ? lc_traced_start_exec_error(&start) : 0;
    fill_outcome(s);
    return code ? explain_exec_failure(argv[0], code, err) : 0;
}

bool lc_trace_has_more(void)
{
    return current.tracees.alive > 0;
}

int lc_trace_wait(void)
{
    int status;

    while (!current.is_over) {
        pid_t pid = waitpid(current.program, &status, 0);
        if (pid == current.program || (pid < 0 && errno != EINTR))
            lc_session_note_end(&current, current.program, pid > 0 ? status : 0);
    }
    return current.outcome->status;
}

void lc_trace_linger(void)
{
    current.is_recording = false;
    if (current.tracees.alive > 0)
        lc_session_follow(&current, false);
    lc_tracee_remove_all(&current.tracees);
}
