/* SPDX-License-Identifier: MIT */
/* text.c - convert any bytes to text that SQLite and JSON accept */
#include "results/text.h"

#include <stdlib.h>
#include <string.h>

#include "util/buf.h"
#include "util/json.h"

enum { TAIL = 4096 };

static int is_utf8(const char *bytes)
{
    json_t *text = json_string(bytes);

    json_decref(text);
    return text != NULL;
}

char *lc_text_to_utf8(const char *bytes)
{
    struct lc_buf text = {0};

    if (is_utf8(bytes))
        return strdup(bytes);
    for (;;) {
        size_t len = strcspn(bytes, "\n");
        lc_buf_escape(&text, bytes, len);
        if (!bytes[len])
            break;
        lc_buf_putc(&text, '\n');
        bytes += len + 1;
    }
    if (text.failed) {
        lc_buf_free(&text);
        return NULL;
    }
    return text.data ? text.data : strdup("");
}

const char *lc_text_tail(const char *text)
{
    size_t len = strlen(text);

    if (len <= TAIL)
        return text;
    const char *end = text + len - TAIL, *line = strchr(end, '\n');
    if (line && line[1])
        return line + 1;
    while ((*end & 0xc0) == 0x80) /* not inside a character */
        end++;
    return end;
}
