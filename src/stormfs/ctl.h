/* SPDX-License-Identifier: MIT */
/* ctl.h - 'stormfs ctl': both ends of the conversation over the control socket
 *
 * One line each way: the command, then "ok", "error: TEXT" or, for stats, a JSON document. */
#ifndef LC_STORMFS_CTL_H
#define LC_STORMFS_CTL_H

struct lc_storm;

/* The client: 'stormfs ctl MOUNT COMMAND'. argv[0] is "ctl". Returns the exit code. */
int lc_ctl_main(int argc, char **argv);

/* The server: answer one connection. Returns 1 if asked to stop; then the answer is left to the
 * caller, who sends it with lc_ctl_confirm once all is unmounted. */
int lc_ctl_answer(struct lc_storm *storm, int fd);
void lc_ctl_confirm(int fd);

#endif
