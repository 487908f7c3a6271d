/* SPDX-License-Identifier: MIT */
/* ctl.h - 'stormfs ctl': client and server of the control socket
 *
 * The client sends one line, the command. The server answers "ok", "error: TEXT" or, for stats, a
 * JSON document. */
#ifndef LC_STORMFS_CTL_H
#define LC_STORMFS_CTL_H

struct lc_storm;

enum { LC_CTL_LINE = 640 }; /* the longest line: "once" with as many names as there may be */

/* The client: 'stormfs ctl MOUNT COMMAND'. argv[0] is "ctl". Returns the exit code. */
int lc_ctl_main(int argc, char **argv);

/* The server: answer one connection. Returns 0, or 1 if the command was stop: then the caller
 * unmounts everything and sends the answer with lc_ctl_confirm. */
int lc_ctl_answer(struct lc_storm *storm, int fd);
void lc_ctl_confirm(int fd);

#endif
