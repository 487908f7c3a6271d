/* SPDX-License-Identifier: MIT */
/* words.h - command lines as a shell reads and writes them */
#ifndef LC_LAUNCH_WORDS_H
#define LC_LAUNCH_WORDS_H

#include "util/buf.h"
#include "util/run.h"

/* Split at blanks. Quotes and backslashes work as in a shell, variables and the rest do not. 0, or
 * -1 with errno EINVAL if a quote is not closed. */
int lc_words_split(struct lc_argv *words, const char *text);

/* Add the words so that a shell reads them back; only words that need it are quoted. */
void lc_words_quote(struct lc_buf *out, char *const *list);

/* The length of "NAME=" if the word is an assignment; else 0. */
size_t lc_words_assignment(const char *word);

/* As lc_words_quote, with $NAME wherever a word contains 'text'. Of an assignment ("A=1") only the
 * value is quoted, so that it stays an assignment. */
void lc_words_quote_with(struct lc_buf *out, char *const *list, const char *text, const char *name);

#endif
