/* SPDX-License-Identifier: MIT */
/* secret.h - hide passwords and tokens in recorded command lines */
#ifndef LC_UTIL_SECRET_H
#define LC_UTIL_SECRET_H

#include <stdbool.h>

#include "util/buf.h"

#define LC_SECRET_HIDDEN "***"

/* Is this the name of a password or token: "HF_TOKEN", "--db-password", "api_key"? The last whole
 * word decides: "tokenizer" and "max-tokens" are not. */
bool lc_secret_is_name(const char *name);

/* Append one word of a command line to 'out', with secrets hidden: the value of --password=X or
 * TOKEN=X, the password in scheme://user:password@host, a word that looks like a well-known token,
 * and the word after an option like --password. If the word is itself a shell command line, each of
 * its words is checked. 'before' is the word before it, or NULL. */
void lc_secret_hide(struct lc_buf *out, const char *word, const char *before);

#endif
