/* SPDX-License-Identifier: MIT */
/* words.c - command lines as a shell reads and writes them */
#include "launch/words.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

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
        closed = read_word(&text, &word);
        if (closed)
            lc_argv_add(words, lc_buf_text(&word));
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
