/* SPDX-License-Identifier: MIT */
/* secret.h - hide what looks like a password or token from what is recorded for others to read */
#ifndef LC_UTIL_SECRET_H
#define LC_UTIL_SECRET_H

#include <stdbool.h>

#include "util/buf.h"

#define LC_SECRET_HIDDEN "***"

/* Is this the name of a password or token: "HF_TOKEN", "--db-password", "api_key"? By whole words,
 * the last of them: "tokenizer" and "max-tokens" are none. */
bool lc_secret_is_name(const char *name);

/* One word of a command line, hidden as far as must be, appended to 'out': the value of
 * --password=X or TOKEN=X, the password in scheme://user:password@host, a word that has the shape
 * of a well-known token, and the word after an option like --password. A word that is a line for a
 * shell is looked at word by word. 'before' is the word before it, or NULL. */
void lc_secret_hide(struct lc_buf *out, const char *word, const char *before);

#endif
