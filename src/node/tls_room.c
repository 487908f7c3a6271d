/* SPDX-License-Identifier: MIT */
/* tls_room.c - set room for thread variables in GLIBC_TUNABLES. Freestanding. */
#include "node/tls_room.h"

#include "image/bytes.h"
#include "node/audit_fit.h"

#define NAME "GLIBC_TUNABLES="

static char *text_put(char *out, const char *text, size_t len)
{
    lc_bytes_move(out, text, len);
    return out + len;
}

static char *hexadecimal_put(char *out, uint64_t n)
{
    out = text_put(out, "0x", 2);
    for (int shift = 4 * (LC_FIT_DIGITS - 1); shift >= 0; shift -= 4)
        *out++ = "0123456789abcdef"[n >> shift & 15];
    return out;
}

/* Write all items except an earlier setting of ours, each with a colon behind it. */
static char *other_items_put(char *out, const char *items)
{
    for (size_t n; *items; items += n + (items[n] != '\0')) {
        for (n = 0; items[n] && items[n] != ':'; n++)
            ;
        if (n == 0 || lc_fit_is_our_room(items))
            continue;
        out = text_put(out, items, n);
        *out++ = ':';
    }
    return out;
}

size_t lc_tls_room_size(const char *old)
{
    return sizeof(NAME) + (old ? lc_bytes_length(old) : 0) + sizeof(LC_TLS_TUNABLE) + 24;
}

char *lc_tls_room_text(char *out, const char *old, uint64_t bytes)
{
    char *list = text_put(out, NAME, sizeof(NAME) - 1);

    out = other_items_put(list, old ? old : "");
    if (bytes > 0)
        out = hexadecimal_put(text_put(out, LC_TLS_TUNABLE "=", sizeof(LC_TLS_TUNABLE)), bytes);
    else if (out > list)
        out--; /* remove the last colon */
    *out = '\0';
    return out > list ? out : NULL;
}
