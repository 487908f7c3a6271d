/* SPDX-License-Identifier: MIT */
/* text.h - private to src/results: convert any bytes to text that SQLite and JSON accept */
#ifndef LC_RESULTS_TEXT_H
#define LC_RESULTS_TEXT_H

/* A copy that keeps line feeds and in which bytes that are not UTF-8 are written as \xNN. The
 * caller frees it. NULL with errno ENOMEM. */
char *lc_text_to_utf8(const char *bytes);

/* The last lines of 'text' that fit into 4 kB, or the end of the last one. */
const char *lc_text_tail(const char *text);

#endif
