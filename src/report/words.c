/* SPDX-License-Identifier: MIT */
/* words.c - shorten names of any content for tables */
#include "report/words.h"

#include <stdio.h>
#include <string.h>

#include "util/buf.h"

struct lc_text lc_words_short(const char *bytes)
{
    enum { WIDEST = 30 };
    struct lc_text out;
    struct lc_buf text = {0};

    lc_buf_escape(&text, bytes, strnlen(bytes, 200));
    size_t len = text.len > WIDEST ? WIDEST : text.len;
    while (len < text.len && len > 0 && (lc_buf_text(&text)[len] & 0xc0) == 0x80)
        len--; /* not inside a character */
    snprintf(out.s, sizeof(out.s), "%.*s%s", (int)len, lc_buf_text(&text),
             len < text.len ? "..." : "");
    lc_buf_free(&text);
    return out;
}
