/* SPDX-License-Identifier: MIT */
/* watched.h - a program that is watched in the user's own job: its environment is the user's, and
 * programs that it starts are watched too if they can be */
#ifndef LC_CLIENT_PILOT_WATCHED_H
#define LC_CLIENT_PILOT_WATCHED_H

#include "client/preload/exec_plan.h"

/* plain_environment.c: remember what is ours in the environment of this process, and put the user's
 * back, in place. Nothing is changed in a pilot. */
void lc_watched_begin(int argc, char **argv, char **env);

/* What lc_watched_begin() found: variables to be given to programs that are started, and what is
 * added to LD_AUDIT and LD_PRELOAD. */
enum { LC_WATCHED_VARIABLES = 12 };
struct lc_watched {
    const char *dir; /* of the logs; NULL: this process is not watched */
    const char *mark, *audit, *preload;
    const char *variable[LC_WATCHED_VARIABLES];
    unsigned variables;
};
const struct lc_watched *lc_watched(void);
/* Programs that are started from now on are not watched. */
void lc_watched_end(void);

/* filter.c: has the program set a filter of system calls? Then no further one is ours. */
bool lc_watched_is_filtered(void);

/* hold_end.c: the program begins; its end may be held up for a part of its time. */
void lc_hold_begin(void);

/* follow.c: the environment for a program that is about to be started: 'env' itself, or with ours
 * if the program can be watched. End it with lc_exec_plan_end() if the start fails or returns. */
char *const *lc_watched_follow(struct lc_exec_plan *memory, const char *path, char *const env[]);

#endif
