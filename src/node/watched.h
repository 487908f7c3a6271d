/* SPDX-License-Identifier: MIT */
/* watched.h - the environment of a program that is watched in the user's own job
 *
 * It is the user's environment, then the variable LC_WATCHED_VARIABLE, then ours up to
 * LC_WATCHED_LAST. A variable of the user's that we replace has LC_WATCHED_WAS before its name. So
 * the watched program can put everything back before its own code runs: it takes ours out of the
 * list, and the prefix away (client/pilot/plain_environment.c). What follows ours was added by a
 * program that started this one before it had put back its own.
 *
 * Some programs (Go's runtime) find the auxiliary vector behind the environment. So there is room
 * for a copy of it behind the new end: LC_WATCHED_PADDING empty entries follow the mark. */
#ifndef LC_NODE_WATCHED_H
#define LC_NODE_WATCHED_H

enum { LC_WATCHED_PADDING = 100 };

#define LC_WATCHED_VARIABLE "LOADCAST_WATCHED" /* the directory of the logs */
#define LC_WATCHED_LAST     "LOADCAST_WATCHED_LAST"
#define LC_WATCHED_WAS      "LOADCAST_WAS_"
/* Files in that directory: the rank is to wait for its watcher when it ends; it does
 * (client/pilot/hold_end.c). */
#define LC_WATCHED_HOLD   "hold"
#define LC_WATCHED_ENDING "ending"
/* The program is measured while ld.so loads it (client/audit/start_again.c). If it is not fit for
 * our auditor, it is started again by LC_WATCHED_AGAIN "--watched-rank" LC_WATCHED_AGAIN_HOW and
 * the last of its words: LC_WATCHED_AGAIN_WORDS is WORDS:PID, how many, and of which process. Not
 * set: it was measured before. */
#define LC_WATCHED_AGAIN       "LOADCAST_AGAIN"
#define LC_WATCHED_AGAIN_HOW   LC_WATCHED_AGAIN "_HOW"
#define LC_WATCHED_AGAIN_WORDS LC_WATCHED_AGAIN "_WORDS"
/* What we add to LD_AUDIT and LD_PRELOAD. */
#define LC_WATCHED_AUDIT   "LOADCAST_WATCHED_AUDIT"
#define LC_WATCHED_PRELOAD "LOADCAST_WATCHED_PRELOAD"

/* 'loadcast run' starts the first ranks of a line without an image through
 * "loadcast --watched-rank HOW PROGRAM ARGUMENTS". HOW is compact JSON:
 *   {"store": DIR, "key": TEXT, "name": LABEL, "parts": [...], "words": HEX, "ranks": N,
 *    "dir": DIR, "manage": [...], "measure": true}
 * with the key of the line's image (store/key.h) and the nodes' directory as the user
 * gave it. With "measure" the program is measured before it is started. */
#define LC_WATCHED_RANK "--watched-rank"

#endif
