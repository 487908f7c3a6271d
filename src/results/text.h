/* SPDX-License-Identifier: MIT */
/* text.h - private to src/results: any bytes as text that SQLite and JSON both take */
#ifndef LC_RESULTS_TEXT_H
#define LC_RESULTS_TEXT_H

/* A copy in which lines stay lines and bytes that are not UTF-8 are \xNN. NULL with errno ENOMEM.
 * Caller frees. */
char *lc_text_clean(const char *bytes);

/* The last lines of 'text' that fit into 4 kB, or the end of the last one. */
const char *lc_text_tail(const char *text);

#endif
