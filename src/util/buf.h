/* SPDX-License-Identifier: MIT */
/* buf.h - a growing byte buffer that is always terminated by a NUL */
#ifndef LC_UTIL_BUF_H
#define LC_UTIL_BUF_H

#include <stddef.h>

/* Start with a zeroed struct; data stays NULL until something is added. The owner calls
 * lc_buf_free. After an allocation failed, 'failed' is set and further additions do nothing, so
 * that a chain of additions needs one check at its end. */
struct lc_buf {
    char *data;
    size_t len;
    size_t cap;
    int failed;
};

void lc_buf_free(struct lc_buf *buf);
void lc_buf_clear(struct lc_buf *buf); /* empty, capacity kept */

/* 0, or -1 with errno ENOMEM. */
int lc_buf_add(struct lc_buf *buf, const void *data, size_t len);
int lc_buf_puts(struct lc_buf *buf, const char *text);
int lc_buf_putc(struct lc_buf *buf, char c);
/* Room for len more bytes, all zero, to be written by the caller; NULL with errno ENOMEM. Valid
 * until the next addition. */
void *lc_buf_extend(struct lc_buf *buf, size_t len);
int lc_buf_printf(struct lc_buf *buf, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Add bytes so that they fit on one line and can be read back: \\ \n \t \r and \xNN for other
 * control characters and for bytes that are not valid UTF-8. */
int lc_buf_escape(struct lc_buf *buf, const char *bytes, size_t len);

/* Reverse of lc_buf_escape; -1 with errno EINVAL for a malformed escape. */
int lc_buf_unescape(struct lc_buf *buf, const char *text, size_t len);

/* The buffer's text ("" when empty). Owned by the buffer. */
const char *lc_buf_text(const struct lc_buf *buf);

#endif
