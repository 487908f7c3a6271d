/* SPDX-License-Identifier: MIT */
/* completion.h - what makes a shell complete our command lines */
#ifndef LC_CMD_COMPLETION_H
#define LC_CMD_COMPLETION_H

#include "cmd/cmd.h"

/* Print it for 'shell', "bash" or "zsh", from the commands' own option tables; the last command has
 * no name. The exit code. */
int lc_completion(const char *shell, const struct lc_command *commands);

#endif
