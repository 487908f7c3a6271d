/* SPDX-License-Identifier: MIT */
/* secret.c - hide what looks like a password or token */
#include "util/secret.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
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
    static const char *const secret[] = {"password",    "passwd",     "passphrase", "pass",
                                         "token",       "secret",     "apikey",     "credential",
                                         "credentials", "privatekey", NULL};
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

/* Does the word begin like a token? Only prefixes that the issuers documented for this purpose. */
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

/* The password in scheme://user:password@host, or NULL. */
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

/* Characters that separate words in a shell command line. */
static const char separators[] = " \t\n;|&()";

/* The value of an option or variable with the name of a secret; NULL if it is not one. */
static const char *find_value(const char *word)
{
    const char *equals = strchr(word, '=');

    return equals && equals[1] && word + strcspn(word, separators) > equals &&
                   is_secret_name(word, (size_t)(equals - word))
               ? equals + 1
               : NULL;
}

static bool is_after_option(const char *word, const char *before)
{
    return before[0] == '-' && before[1] == '-' && !strchr(before, '=') &&
           lc_secret_is_name(before) && word[0] != '-';
}

/* Is the word before it "Bearer" or "X-Api-Key:", as in the header of an HTTP request? */
static bool is_after_field(const char *before)
{
    size_t len = strlen(before);

    return strcasecmp(before, "bearer") == 0 ||
           (len > 0 && before[len - 1] == ':' && is_secret_name(before, len - 1));
}

/* The part of a word that is to be hidden, or NULL. */
static const char *secret_in_word(const char *word, const char *before, size_t *len)
{
    const char *value = find_value(word), *equals = strchr(word, '=');
    const char *hidden = value;

    if ((before && (is_after_option(word, before) || is_after_field(before))) ||
        has_token_shape(word))
        hidden = word;
    else if (!value && equals && has_token_shape(equals + 1))
        hidden = equals + 1;
    *len = hidden ? strlen(hidden) : 0;
    return hidden || strpbrk(word, separators) ? hidden : find_url_password(word, len);
}

/* Length of the first word of a shell command line: quotes hold words together. */
static size_t first_word_len(const char *line)
{
    size_t n = 0;
    char quote = '\0';

    for (; line[n] && (quote || !strchr(separators, line[n])); n++)
        if (quote ? line[n] == quote : line[n] == '\'' || line[n] == '"')
            quote = quote ? '\0' : line[n];
    return n;
}

/* The next word of a line. Text behind a quote is a separate word, unless the whole word is hidden.
 */
static char *next_word(const char *line, const char *before, char quote)
{
    size_t len = quote ? strcspn(line, (char[]){quote, '\0'}) : first_word_len(line), ignored;
    char *word = strndup(line, len);

    if (word && !quote && !secret_in_word(word, before, &ignored))
        word[strcspn(word, "'\"")] = '\0';
    return word;
}

static void word_hide(struct lc_buf *out, const char *word, const char *before, int depth);

/* Hide the secrets in a line, word by word; text between quotes may be a line again. */
static void line_hide(struct lc_buf *out, const char *line, int depth)
{
    char *before = NULL, *word = NULL;

    do {
        size_t gap = strspn(line, separators);
        char quote = line[gap] == '\'' || line[gap] == '"' ? line[gap] : '\0';
        lc_buf_add(out, line, gap + (quote != '\0'));
        line += gap + (quote != '\0');
        if (!(word = next_word(line, before, quote)))
            break;
        word_hide(out, word, before, depth + 1);
        line += strlen(word);
        if (quote && *line == quote)
            lc_buf_add(out, line++, 1);
        free(before);
        before = word;
    } while (*line);
    free(before);
}

static void word_hide(struct lc_buf *out, const char *word, const char *before, int depth)
{
    enum { DEEPEST = 8 };
    size_t len = 0;
    const char *hidden = secret_in_word(word, before, &len);

    if (!hidden && depth < DEEPEST && strpbrk(word, separators)) {
        line_hide(out, word, depth);
        return;
    }
    if (!hidden) {
        lc_buf_puts(out, depth < DEEPEST ? word : LC_SECRET_HIDDEN);
        return;
    }
    lc_buf_add(out, word, (size_t)(hidden - word));
    lc_buf_puts(out, LC_SECRET_HIDDEN);
    lc_buf_puts(out, hidden + len);
}

void lc_secret_hide(struct lc_buf *out, const char *word, const char *before)
{
    word_hide(out, word, before, 0);
}
