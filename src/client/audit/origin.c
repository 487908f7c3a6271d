/* SPDX-License-Identifier: MIT */
/* origin.c - $ORIGIN in a path of ld.so's. Freestanding. */
#include "client/audit/origin.h"

#include <stdbool.h>

#include "image/bytes.h"

static size_t directory_length(const char *file)
{
    size_t n = lc_bytes_length(file);

    while (n > 1 && file[n - 1] != '/')
        n--;
    return n > 1 ? n - 1 : n;
}

static bool is_of_a_name(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/* The length of $ORIGIN or ${ORIGIN} at the start of a text; 0 if it is something else. */
static size_t token_length(const char *text, size_t len)
{
    if (len >= 9 && lc_bytes_equal(text, "${ORIGIN}", 9))
        return 9;
    return len >= 7 && lc_bytes_equal(text, "$ORIGIN", 7) && !(len > 7 && is_of_a_name(text[7]))
               ? 7
               : 0;
}

static bool append(char *out, size_t room, size_t *at, const char *text, size_t len)
{
    if (*at + len + 1 > room)
        return false;
    lc_bytes_move(out + *at, text, len);
    *at += len;
    out[*at] = '\0';
    return true;
}

size_t lc_origin_expand(char *out, size_t room, const char *text, size_t len, const char *owner)
{
    size_t at = 0, n;

    for (size_t i = 0; i < len; i += n) {
        size_t token = token_length(text + i, len - i);
        n = token ? token : 1;
        if ((!token && text[i] == '$') || (token && (!owner || owner[0] != '/')))
            return 0;
        if (!append(out, room, &at, token ? owner : text + i, token ? directory_length(owner) : 1))
            return 0;
    }
    return at;
}
