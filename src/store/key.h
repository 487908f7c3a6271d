/* SPDX-License-Identifier: MIT */
/* key.h - the name of an image in the store: what decides what a program loads
 *
 * A key is made of parts, each a kind ("program", "script", "LD_LIBRARY_PATH") and a value; see
 * doc/store.md. The same parts in the same order are the same key. */
#ifndef LC_STORE_KEY_H
#define LC_STORE_KEY_H

#include <jansson.h>
#include <stdint.h>

enum { LC_STORE_LABEL = 40, LC_STORE_KEY = LC_STORE_LABEL + 20 };

/* Start with a zeroed struct; the owner calls lc_store_key_free. */
struct lc_store_key {
    char label[LC_STORE_LABEL]; /* what a person calls it: "app.py" */
    json_t *parts;              /* an array of [kind, value]; owned */
    char text[LC_STORE_KEY];    /* "app.py-0123456789abcdef", once finished */
    uint64_t words;             /* XXH64 of all words of the line's programs; no part of the key */
};

void lc_store_key_add(struct lc_store_key *key, const char *kind, const char *value);

/* Name the key after a file or module: its last component. The first name stays. */
void lc_store_key_name(struct lc_store_key *key, const char *path);

/* Add the variables that change where programs search, as they are in 'environment' (ends with
 * NULL) with 'assigned' ("NAME=VALUE" each; may be NULL) over it. */
void lc_store_key_add_variables(struct lc_store_key *key, char *const *environment,
                                char *const *assigned);

/* All parts are there: set the text. */
void lc_store_key_finish(struct lc_store_key *key);
void lc_store_key_free(struct lc_store_key *key);

#endif
