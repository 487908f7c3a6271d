/* SPDX-License-Identifier: MIT */
/* completion.h - the shell's completion script for our command lines */
#ifndef LC_CMD_COMPLETION_H
#define LC_CMD_COMPLETION_H

#include "cmd/cmd.h"

/* Print the completion script for 'shell' ("bash" or "zsh") from the option tables of the commands;
 * the name of the last command is NULL. Returns the exit code. */
int lc_completion(const char *shell, const struct lc_command *commands);

#endif
