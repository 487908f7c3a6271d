/* SPDX-License-Identifier: MIT */
/* cli_text.h - an option table in the manual's source language; see cli.h for --help */
#ifndef LC_UTIL_CLI_TEXT_H
#define LC_UTIL_CLI_TEXT_H

#include <stdio.h>

struct lc_cli;

/* The OPTIONS section in scdoc's notation. */
void lc_cli_man(const struct lc_cli *cli, FILE *out);

#endif
