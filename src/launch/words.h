/* SPDX-License-Identifier: MIT */
/* words.h - a command line that grows, and how to paste it into a shell */
#ifndef LC_LAUNCH_WORDS_H
#define LC_LAUNCH_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "util/buf.h"

/* Start with a zeroed struct; item[count] is NULL. The owner calls lc_words_free. After an
 * allocation failed, 'failed' is set and further additions do nothing. */
struct lc_words {
    char **item; /* owned, and so are the words */
    size_t count, cap;
    bool failed;
};

void lc_words_free(struct lc_words *words);
void lc_words_add(struct lc_words *words, const char *word);
void lc_words_addf(struct lc_words *words, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void lc_words_add_all(struct lc_words *words, char *const *list); /* ends with NULL */

/* Split at blanks; quotes and backslashes as in a shell, nothing else of it. 0, or -1 with errno
 * EINVAL for a quote that is not closed. */
int lc_words_split(struct lc_words *words, const char *text);

/* The words as a shell reads them back, quoted only where that is needed. */
void lc_words_quote(struct lc_buf *out, char *const *list);

#endif
