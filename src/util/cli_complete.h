/* SPDX-License-Identifier: MIT */
/* cli_complete.h - an option table as shell code that completes command lines; see cli.h for --help
 *
 * Parts of what 'loadcast --completion' prints (cmd/completion.c), asked for by --help=bash and
 * --help=zsh. */
#ifndef LC_UTIL_CLI_COMPLETE_H
#define LC_UTIL_CLI_COMPLETE_H

#include <stdio.h>

struct lc_cli;

/* A function that tells what the command's options are, and what may follow one of them. */
void lc_cli_complete_bash(const struct lc_cli *cli, FILE *out);

/* A call of _arguments with the command's options. */
void lc_cli_complete_zsh(const struct lc_cli *cli, FILE *out);

#endif
