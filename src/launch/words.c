/* SPDX-License-Identifier: MIT */
/* words.c - command lines as a shell reads and writes them */
#include "launch/words.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* Read one word from *text on. False if a quote is not closed. */
static bool word_read(const char **text, struct lc_buf *out)
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

int lc_words_split(struct lc_argv *words, const char *text)
{
    struct lc_buf word = {0};
    bool closed = true;

    while (closed) {
        while (isspace((unsigned char)*text))
            text++;
        if (!*text)
            break;
        lc_buf_clear(&word);
        closed = word_read(&text, &word);
        if (closed)
            lc_argv_add(words, lc_buf_text(&word));
    }
    words->failed |= word.failed;
    lc_buf_free(&word);
    errno = EINVAL;
    return closed ? 0 : -1;
}

static bool word_is_plain(const char *word)
{
    for (const char *p = word; *p; p++)
        if (!isalnum((unsigned char)*p) && !strchr("_-+=./:,@%", *p))
            return false;
    return *word;
}

static void word_quote(struct lc_buf *out, const char *word)
{
    if (word_is_plain(word)) {
        lc_buf_puts(out, word);
        return;
    }
    lc_buf_putc(out, '\'');
    for (const char *p = word; *p; p++)
        if (*p == '\'')
            lc_buf_puts(out, "'\\''");
        else
            lc_buf_putc(out, *p);
    lc_buf_putc(out, '\'');
}

void lc_words_quote(struct lc_buf *out, char *const *list)
{
    for (char *const *w = list; *w; w++) {
        if (w != list)
            lc_buf_putc(out, ' ');
        word_quote(out, *w);
    }
}

/* Quote with double quotes, and put $NAME for 'text'. */
static void word_quote_variable(struct lc_buf *out, const char *word, const char *text,
                                const char *name)
{
    size_t n = strlen(text);

    lc_buf_putc(out, '"');
    while (*word)
        if (strncmp(word, text, n) == 0) {
            lc_buf_printf(out, "${%s}", name);
            word += n;
        } else {
            if (strchr("\"\\$`", *word))
                lc_buf_putc(out, '\\');
            lc_buf_putc(out, *word++);
        }
    lc_buf_putc(out, '"');
}

size_t lc_words_assignment(const char *word)
{
    size_t n = 0;

    while (isalnum((unsigned char)word[n]) || word[n] == '_')
        n++;
    return n > 0 && word[n] == '=' && !isdigit((unsigned char)word[0]) ? n + 1 : 0;
}

void lc_words_quote_with(struct lc_buf *out, char *const *list, const char *text, const char *name)
{
    for (char *const *w = list; *w; w++) {
        size_t n = lc_words_assignment(*w);
        if (w != list)
            lc_buf_putc(out, ' ');
        lc_buf_add(out, *w, n);
        if (strstr(*w + n, text))
            word_quote_variable(out, *w + n, text, name);
        else
            word_quote(out, *w + n);
    }
}
