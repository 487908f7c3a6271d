/* SPDX-License-Identifier: MIT */
/* command_prefix.h - commands that run the command behind them: env, nice, numactl and the like */
#ifndef LC_LAUNCH_COMMAND_PREFIX_H
#define LC_LAUNCH_COMMAND_PREFIX_H

#include "util/run.h"

/* How many words at the beginning of a command are such a prefix with its options; 0: none, or
 * nothing is behind it. What env and a shell's own "NAME=VALUE" set is added to 'assigned'. */
int lc_command_prefix(char *const *words, struct lc_argv *assigned);

#endif
