/* SPDX-License-Identifier: MIT */
/* buf.c - a growing byte buffer */
#include "util/buf.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void lc_buf_free(struct lc_buf *buf)
{
    free(buf->data);
    *buf = (struct lc_buf){0};
}

void lc_buf_clear(struct lc_buf *buf)
{
    buf->len = 0;
    if (buf->data)
        buf->data[0] = '\0';
}

static int buf_reserve(struct lc_buf *buf, size_t more)
{
    size_t need = buf->len + more + 1;

    if (buf->failed)
        return -1;
    if (need <= buf->cap)
        return 0;
    size_t cap = buf->cap ? buf->cap * 2 : 64;
    if (cap < need)
        cap = need;
    char *data = realloc(buf->data, cap);
    if (!data) {
        buf->failed = 1;
        errno = ENOMEM;
        return -1;
    }
    buf->data = data;
    buf->cap = cap;
    return 0;
}

int lc_buf_add(struct lc_buf *buf, const void *data, size_t len)
{
    if (buf_reserve(buf, len) < 0)
        return -1;
    if (len)
        memcpy(buf->data + buf->len, data, len);
    buf->len += len;
    buf->data[buf->len] = '\0';
    return 0;
}

void *lc_buf_extend(struct lc_buf *buf, size_t len)
{
    if (buf_reserve(buf, len) < 0)
        return NULL;
    char *room = buf->data + buf->len;
    memset(room, 0, len + 1);
    buf->len += len;
    return room;
}

int lc_buf_puts(struct lc_buf *buf, const char *text)
{
    return lc_buf_add(buf, text, strlen(text));
}

int lc_buf_putc(struct lc_buf *buf, char c)
{
    return lc_buf_add(buf, &c, 1);
}

int lc_buf_printf(struct lc_buf *buf, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    int len = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    if (len < 0 || buf_reserve(buf, (size_t)len) < 0)
        return -1;
    va_start(ap, fmt);
    vsnprintf(buf->data + buf->len, (size_t)len + 1, fmt, ap);
    va_end(ap);
    buf->len += (size_t)len;
    return 0;
}

/* Length of the valid UTF-8 sequence at s (1 to 4), or 0. Overlong forms and surrogates are
 * invalid, as they are to JSON readers. */
static size_t utf8_len(const unsigned char *s, size_t left)
{
    unsigned c = s[0];
    size_t n = c < 0x80                ? 1
               : c >= 0xc2 && c < 0xe0 ? 2
               : c >= 0xe0 && c < 0xf0 ? 3
               : c >= 0xf0 && c < 0xf5 ? 4
                                       : 0;

    if (n == 0 || n > left)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if ((c == 0xe0 && s[1] < 0xa0) || (c == 0xed && s[1] > 0x9f) || (c == 0xf0 && s[1] < 0x90) ||
        (c == 0xf4 && s[1] > 0x8f))
        return 0;
    return n;
}

int lc_buf_escape(struct lc_buf *buf, const char *bytes, size_t len)
{
    const unsigned char *s = (const unsigned char *)bytes;

    for (size_t i = 0; i < len;) {
        size_t n = utf8_len(s + i, len - i);
        if (s[i] == '\\')
            lc_buf_puts(buf, "\\\\");
        else if (s[i] == '\n')
            lc_buf_puts(buf, "\\n");
        else if (s[i] == '\t')
            lc_buf_puts(buf, "\\t");
        else if (s[i] == '\r')
            lc_buf_puts(buf, "\\r");
        else if (n == 0 || s[i] < 0x20 || s[i] == 0x7f)
            lc_buf_printf(buf, "\\x%02x", s[i]);
        else
            lc_buf_add(buf, s + i, n);
        i += n ? n : 1;
    }
    return buf->failed ? -1 : 0;
}

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

int lc_buf_unescape(struct lc_buf *buf, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (text[i] != '\\') {
            lc_buf_putc(buf, text[i]);
            continue;
        }
        char c = i + 1 < len ? text[++i] : '\0';
        if (c == 'n')
            lc_buf_putc(buf, '\n');
        else if (c == 't')
            lc_buf_putc(buf, '\t');
        else if (c == 'r')
            lc_buf_putc(buf, '\r');
        else if (c == '\\')
            lc_buf_putc(buf, '\\');
        else if (c == 'x' && i + 2 < len && hex_value(text[i + 1]) >= 0 &&
                 hex_value(text[i + 2]) >= 0) {
            lc_buf_putc(buf, (char)(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2])));
            i += 2;
        } else {
            errno = EINVAL;
            return -1;
        }
    }
    return buf->failed ? -1 : 0;
}

const char *lc_buf_text(const struct lc_buf *buf)
{
    return buf->data ? buf->data : "";
}
