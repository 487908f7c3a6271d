/* SPDX-License-Identifier: MIT */
/* trace.h - report every file-system call of a process tree as it happens
 *
 * A command runs under ptrace; a seccomp filter lets all other calls pass at full speed. Each
 * finished call becomes one event, which the caller's function gets in the order in which the calls
 * ended. */
#ifndef LC_TRACE_TRACE_H
#define LC_TRACE_TRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/error.h"

enum lc_trace_kind {
    LC_TRACE_OPEN,
    LC_TRACE_STAT, /* stat family, statfs, extended attributes read */
    LC_TRACE_ACCESS,
    LC_TRACE_READLINK,
    LC_TRACE_READDIR,
    LC_TRACE_EXEC,
    LC_TRACE_CHDIR,
    LC_TRACE_CHANGE, /* changes names or attributes: mkdir, rename, unlink, chmod... */
    LC_TRACE_OTHER,  /* mount, inotify... */
    LC_TRACE_READ,   /* data: read family */
    LC_TRACE_MMAP,   /* data: a file mapped */
    LC_TRACE_KINDS,
};

/* "open", "stat", ... */
const char *lc_trace_kind_name(enum lc_trace_kind kind);

/* Reads and mappings transfer data; all other calls are requests to the metadata server. */
static inline bool lc_trace_is_data(enum lc_trace_kind kind)
{
    return kind == LC_TRACE_READ || kind == LC_TRACE_MMAP;
}

/* One finished call. Strings are valid during the callback only. */
struct lc_trace_event {
    pid_t tid;    /* the thread */
    pid_t pid;    /* its process */
    pid_t parent; /* the parent process of pid */
    const char *call;
    enum lc_trace_kind kind;
    const char *path;   /* absolute; "." and "//" removed, ".." kept where a link may stand before
                         * it; "pipe:[7]" and the like for descriptors that are no files; "?" if the
                         * program passed a bad pointer */
    const char *given;  /* the path as the program passed it; NULL for calls on a descriptor */
    const char *real;   /* the kernel's name of the opened file; NULL if unknown or equal to path */
    const char *second; /* rename's and link's new path (absolute), symlink's target; else NULL */
    long result;        /* of the call; -errno for failure */
    uint64_t flags;     /* flags of open, or the AT_ flags */
    uint64_t bytes;     /* read or mapped */
    int64_t more_calls; /* that were the same; -1: told by another event, too */
    bool is_write;      /* an open that may change the file, or a call that changes names */
};

typedef void (*lc_trace_fn)(void *arg, const struct lc_trace_event *event);

struct lc_trace_options {
    double for_s; /* > 0: detach from the program after so many seconds */
    /* Called 20 times a second with the callback's arg: has enough been seen to detach? May be
     * NULL. */
    bool (*has_enough)(void *arg);
    /* Called with the callback's arg when a program was executed, before its first instruction; may
     * be NULL. */
    void (*executed)(void *arg, pid_t tid);
    bool ends_program; /* instead of detaching, end the whole tree and wait for its end */
    bool names_only;   /* report only calls that may tell something new of a path: neither data nor
                          the stat of a descriptor. Costs half as many stops. */
    bool without_filter; /* stop at every system call, as where seccomp is not available */
    pid_t group;         /* the program's process group; 0: ours */
    /* Called once with the callback's arg when the program itself has ended but processes it left
     * behind are still followed after two seconds; may be NULL. */
    void (*waiting)(void *arg, unsigned processes);
};

struct lc_trace_outcome {
    int status;         /* of the program, as wait() gives it */
    unsigned processes; /* seen in all */
    unsigned threads;   /* seen in all, first threads included */
    bool is_partial;    /* detached or ended before its own end: --for, or asked to finish */
    bool was_ended;     /* by us, as options->ends_program asked for */
    bool had_enough; /* if was_ended: options->has_enough was the reason, before for_s had passed */
    bool is_running; /* detached and not ended yet: lc_trace_wait() returns its status */
    bool has_foreign;  /* a program of another word size ran: its calls were not seen */
    bool has_io_uring; /* a program set up io_uring: calls made that way were not seen */
    bool has_filter;   /* the seccomp filter was used */
    double wall_s;     /* start of the program to its end */
};

/* Run argv under trace, with out_fd as its standard output, and call fn for each call, until every
 * process of the tree has ended, or for_s has passed, or the program itself has ended and SIGINT or
 * SIGTERM asks us to finish. Meanwhile the signals listed in signals.h are passed on or left to the
 * program. 0 with *outcome filled, or -1 with err filled and errno: ENOENT (no such program),
 * EACCES or ENOEXEC (cannot be executed), EPERM (ptrace is forbidden), others (our own failure);
 * then nothing was run. */
int lc_trace_run(const struct lc_trace_options *options, char *const argv[], int out_fd,
                 lc_trace_fn fn, void *arg, struct lc_trace_outcome *outcome, struct lc_error *err);

/* Wait for a program that was detached, and return its status. */
int lc_trace_wait(void);

/* Are there processes left that need the tracer? */
bool lc_trace_has_more(void);

/* Handle the processes that lc_trace_run() left under the filter until they end, without reporting
 * events. To be called last, when everything has been printed. Returns at once if there are none.
 */
void lc_trace_linger(void);

#endif
