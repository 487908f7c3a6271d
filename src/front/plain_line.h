/* SPDX-License-Identifier: MIT */
/* plain_line.h - a line that runs without Loadcast, because the limits here are too tight for it */
#ifndef LC_FRONT_PLAIN_LINE_H
#define LC_FRONT_PLAIN_LINE_H

/* The words of the line in the arguments of 'loadcast'. NULL if there are none, or if Loadcast is
 * not to be left out (--strict, --dry-run). */
char **lc_plain_line_find(char **argv);

/* Execute the line, found as execvp does. Returns an errno if that fails. */
int lc_plain_line_execute(char **line, char **env);

#endif
