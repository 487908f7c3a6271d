/* SPDX-License-Identifier: MIT */
/* words.h - command lines as a shell reads and writes them */
#ifndef LC_LAUNCH_WORDS_H
#define LC_LAUNCH_WORDS_H

#include "util/buf.h"
#include "util/run.h"

/* Split at blanks; quotes and backslashes as in a shell, nothing else of it. 0, or -1 with errno
 * EINVAL for a quote that is not closed. */
int lc_words_split(struct lc_argv *words, const char *text);

/* The words as a shell reads them back, quoted only where that is needed. */
void lc_words_quote(struct lc_buf *out, char *const *list);

/* How long "NAME=" at the beginning of an assignment is; 0: it is none. */
size_t lc_words_assignment(const char *word);

/* The same with $NAME wherever a word has 'text' in it. In an assignment ("A=1") only the value is
 * quoted, so that it stays one. */
void lc_words_quote_with(struct lc_buf *out, char *const *list, const char *text, const char *name);

#endif
