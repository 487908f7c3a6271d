/* SPDX-License-Identifier: MIT */
/* words.c - a command line that grows, and how to paste it into a shell */
#include "launch/words.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void lc_words_free(struct lc_words *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->item[i]);
    free(words->item);
    *words = (struct lc_words){0};
}

/* Takes over 'word'. */
static void take(struct lc_words *words, char *word)
{
    if (words->count + 2 > words->cap && word && !words->failed) {
        size_t cap = words->cap ? 2 * words->cap : 16;
        char **item = realloc(words->item, cap * sizeof(*item));
        words->failed = !item;
        words->item = item ? item : words->item;
        words->cap = item ? cap : words->cap;
    }
    words->failed |= !word;
    if (words->failed) {
        free(word);
        return;
    }
    words->item[words->count++] = word;
    words->item[words->count] = NULL;
}

void lc_words_add(struct lc_words *words, const char *word)
{
    take(words, strdup(word));
}

void lc_words_addf(struct lc_words *words, const char *fmt, ...)
{
    char *text = NULL;
    va_list args;

    va_start(args, fmt);
    if (vasprintf(&text, fmt, args) < 0)
        text = NULL;
    va_end(args);
    take(words, text);
}

void lc_words_add_all(struct lc_words *words, char *const *list)
{
    for (; *list; list++)
        lc_words_add(words, *list);
}

/* One word from *text on; false at an open quote. */
static bool read_word(const char **text, struct lc_buf *out)
{
    char quote = 0;
    const char *p = *text;

    for (; *p && (quote || !isspace((unsigned char)*p)); p++) {
        if (quote && *p == quote)
            quote = 0;
        else if (!quote && (*p == '\'' || *p == '"'))
            quote = *p;
        else if (*p == '\\' && quote != '\'' && p[1])
            lc_buf_putc(out, *++p);
        else
            lc_buf_putc(out, *p);
    }
    *text = p;
    return !quote;
}

int lc_words_split(struct lc_words *words, const char *text)
{
    struct lc_buf word = {0};
    bool closed = true;

    while (closed) {
        while (isspace((unsigned char)*text))
            text++;
        if (!*text)
            break;
        lc_buf_clear(&word);
        closed = read_word(&text, &word);
        if (closed)
            lc_words_add(words, lc_buf_text(&word));
    }
    words->failed |= word.failed;
    lc_buf_free(&word);
    errno = EINVAL;
    return closed ? 0 : -1;
}

static bool is_plain(const char *word)
{
    for (const char *p = word; *p; p++)
        if (!isalnum((unsigned char)*p) && !strchr("_-+=./:,@%", *p))
            return false;
    return *word;
}

void lc_words_quote(struct lc_buf *out, char *const *list)
{
    for (char *const *w = list; *w; w++) {
        if (w != list)
            lc_buf_putc(out, ' ');
        if (is_plain(*w)) {
            lc_buf_puts(out, *w);
            continue;
        }
        lc_buf_putc(out, '\'');
        for (const char *p = *w; *p; p++)
            if (*p == '\'')
                lc_buf_puts(out, "'\\''");
            else
                lc_buf_putc(out, *p);
        lc_buf_putc(out, '\'');
    }
}
