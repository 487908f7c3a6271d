/* SPDX-License-Identifier: MIT */
/* secret.c - hide what looks like a password or token */
#include "util/secret.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

/* Where the last word of a name starts; words are separated by '-', '_' and '.'. */
static const char *last_word(const char *name, const char *end)
{
    const char *p = end;

    while (p > name && !strchr("-_.", p[-1]))
        p--;
    return p;
}

static bool is_one_of(const char *word, size_t len, const char *const *list)
{
    for (; *list; list++)
        if (strlen(*list) == len && strncasecmp(word, *list, len) == 0)
            return true;
    return false;
}

static bool is_secret_name(const char *name, size_t len)
{
    static const char *const secret[] = {"password",   "passwd", "passphrase", "token",
                                         "secret",     "apikey", "credential", "credentials",
                                         "privatekey", NULL};
    static const char *const whose[] = {"api",     "access", "secret",     "private",
                                        "account", "auth",   "encryption", NULL};
    const char *end = name + len, *last = last_word(name, end);

    if (is_one_of(last, (size_t)(end - last), secret))
        return true;
    if (end - last != 3 || strncasecmp(last, "key", 3) != 0 || last == name)
        return false;
    const char *before = last_word(name, last - 1);
    return is_one_of(before, (size_t)(last - 1 - before), whose);
}

bool lc_secret_is_name(const char *name)
{
    return is_secret_name(name, strlen(name));
}

/* Beginnings of tokens that their makers documented, so that they can be found. */
static bool has_token_shape(const char *word)
{
    static const char *const begin[] = {
        "ghp_", "gho_", "ghs_", "ghu_", "ghr_",  "glpat-", "github_pat_", "xoxb-", "xoxp-",
        "hf_",  "sk-",  "AKIA", "npm_", "pypi-", "eyJ",    "dckr_pat_",   NULL};
    enum { LEAST = 20 };

    if (strlen(word) < LEAST || word[strcspn(word, "/ \t")] != '\0')
        return false;
    for (const char *const *b = begin; *b; b++)
        if (strncmp(word, *b, strlen(*b)) == 0)
            return true;
    return false;
}

/* scheme://user:password@host: where the password stands, or NULL. */
static const char *find_url_password(const char *word, size_t *len)
{
    const char *host = strstr(word, "://");
    const char *start = host ? host + 3 : NULL, *at = start ? start + strcspn(start, "/?#@") : NULL;

    if (!at || *at != '@')
        return NULL;
    const char *colon = memchr(start, ':', (size_t)(at - start));
    if (!colon)
        return NULL;
    *len = (size_t)(at - colon - 1);
    return colon + 1;
}

/* The value of an option or variable whose name tells; NULL if it is none. */
static const char *find_value(const char *word)
{
    const char *equals = strchr(word, '=');

    return equals && equals[1] && is_secret_name(word, (size_t)(equals - word)) ? equals + 1 : NULL;
}

static bool is_after_option(const char *word, const char *before)
{
    return before && before[0] == '-' && before[1] == '-' && !strchr(before, '=') &&
           lc_secret_is_name(before) && word[0] != '-';
}

void lc_secret_hide(struct lc_buf *out, const char *word, const char *before)
{
    size_t len = strlen(word);
    const char *hidden = word;

    if (!is_after_option(word, before) && !has_token_shape(word)) {
        const char *value = find_value(word), *equals = strchr(word, '=');
        size_t rest = 0;
        if (!value && (hidden = find_url_password(word, &rest)))
            len = rest;
        else if (value)
            hidden = value, len = strlen(value);
        else if (equals && has_token_shape(equals + 1))
            hidden = equals + 1, len = strlen(hidden);
        else
            hidden = NULL;
    }
    if (!hidden) {
        lc_buf_puts(out, word);
        return;
    }
    lc_buf_add(out, word, (size_t)(hidden - word));
    lc_buf_puts(out, LC_SECRET_HIDDEN);
    lc_buf_puts(out, hidden + len);
}
