/* SPDX-License-Identifier: MIT */
/* watch.h - see from inside what a program of the user's own job loads
 *
 * As a pilot without ptrace, but the program is the job's own and must not notice. This process
 * becomes the program; another one waits until it has loaded everything, or has ended, and reads
 * the logs. */
#ifndef LC_RECORD_WATCH_H
#define LC_RECORD_WATCH_H

#include "record/pilot.h"
#include "util/run.h"

struct lc_watch {
    struct lc_pilot pilot;
    struct lc_seen seen;
    char dir[400]; /* of the logs, in this node's memory */
    int dir_fd;    /* keeps a lock, so that nobody takes the logs for those of a dead process */
    struct lc_argv environment; /* for the program */
};

/* How the program is started again if it turns out, while ld.so loads it, that it is not fit for
 * our objects: "LOADCAST --watched-rank HOW PROGRAM ...". */
struct lc_watch_again {
    const char *loadcast, *how;
};

/* Prepare to become the program 'argv', found as by execvp. Without 'again' (NULL) what it loads is
 * measured now, which takes as long as its start. 0, or -1 with err filled: it cannot be
 * watched, and is to be started as it is. Logs are made in the first of 'places' (ended by NULL)
 * that is_safe() and can be written: local directories in which nobody else can replace what is
 * ours. The caller's environment is not changed. */
int lc_watch_begin(struct lc_watch *watch, char *const *argv, const char *const *places,
                   bool (*is_safe)(const char *place), const struct lc_watch_again *again,
                   struct lc_error *err);

/* Ask the program to wait at its end, for a part of its time, until lc_watch_release(). */
void lc_watch_hold(const struct lc_watch *watch);
void lc_watch_release(const struct lc_watch *watch);

/* In the other process: wait until the program has ended, waits at its end, or has removed the log
 * to be started again (false), or nothing new was logged for settle_s (true). */
bool lc_watch_wait(const struct lc_watch *watch, pid_t program, double settle_s);

/* False: the program was started again, and another watcher sees it. What this one could read is of
 * a start that was given up, and is to be used for nothing. Until lc_watch_take_calls(). */
bool lc_watch_has_log(const struct lc_watch *watch);

/* How much the program has logged so far. */
off_t lc_watch_bytes(const struct lc_watch *watch);

/* Read the logs into watch->seen. They stay if the program goes on. Bindings take longer: the
 * libraries are read. */
void lc_watch_take_calls(struct lc_watch *watch, bool goes_on);
void lc_watch_take_bindings(struct lc_watch *watch, bool goes_on);

/* Remove the logs. */
void lc_watch_end(struct lc_watch *watch);

#endif
