/* SPDX-License-Identifier: MIT */
/* wire.h - the protocol between bench-rank and the collector: lines of text over TCP
 *
 *   rank                                   collector
 *   hello TOKEN RANK HOST BEGIN            welcome LAUNCH_WALL
 *   time (LC_WIRE_ROUNDS times)            time NOW WALL
 *   clock OFFSET RTT WALL_OFFSET
 *   barrier (before the program, and       go
 *            as often as it asks)
 *   spawn NS, mark NAME NS, end STATUS NS CPU_US MAXRSS_KB, text LINES, bye
 *
 * A process that holds something on its node says 'size N', the number of such processes, after its
 * hello, waits at the barrier once it holds it, and then for the end of the connection.
 *
 * All times are nanoseconds: CLOCK_MONOTONIC of the sending host, or with WALL since 1970. RANK is
 * -1 if the launcher does not set it. OFFSET is the rank's clock minus the collector's, from the
 * exchange with the shortest round trip, RTT. LINES is escaped (lc_buf_escape). */
#ifndef LC_BENCH_WIRE_H
#define LC_BENCH_WIRE_H

#define LC_MARK_LINE    "LOADCAST_MARK="   /* NAME [NS]: the phase NAME ends here */
#define LC_BARRIER_LINE "LOADCAST_BARRIER" /* wait for the others: read a byte from ... */
#define LC_BARRIER_FD   "LOADCAST_BARRIER_FD"
#define LC_MARKS_ASKED  "LOADCAST_MARKS" /* set to 1: gen's programs print marks */

enum {
    LC_WIRE_ROUNDS = 16,
    LC_WIRE_LINE = 20480, /* longest line: a text of which every byte is escaped, and more */
    LC_WIRE_MARKS = 256,  /* most marks of one rank that are kept */
    LC_WIRE_TEXT = 4096,  /* bytes of standard error that are kept */
};

#endif
