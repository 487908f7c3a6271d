/* SPDX-License-Identifier: MIT */
/* tls_room.c - GLIBC_TUNABLES with room for thread variables. Freestanding. */
#include "node/tls_room.h"

#include "image/bytes.h"
#include "node/audit_fit.h"

#define NAME "GLIBC_TUNABLES="

static char *put(char *out, const char *text, size_t len)
{
    lc_bytes_move(out, text, len);
    return out + len;
}

static char *put_hexadecimal(char *out, uint64_t n)
{
    out = put(out, "0x", 2);
    for (int shift = 4 * (LC_FIT_DIGITS - 1); shift >= 0; shift -= 4)
        *out++ = "0123456789abcdef"[n >> shift & 15];
    return out;
}

/* The items but for an earlier one of ours, each with a colon behind it. */
static char *put_others(char *out, const char *items)
{
    for (size_t n; *items; items += n + (items[n] != '\0')) {
        for (n = 0; items[n] && items[n] != ':'; n++)
            ;
        if (n == 0 || lc_fit_is_our_room(items))
            continue;
        out = put(out, items, n);
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
    char *list = put(out, NAME, sizeof(NAME) - 1);

    out = put_others(list, old ? old : "");
    if (bytes > 0)
        out = put_hexadecimal(put(out, LC_TLS_TUNABLE "=", sizeof(LC_TLS_TUNABLE)), bytes);
    else if (out > list)
        out--; /* a colon */
    *out = '\0';
    return out > list ? out : NULL;
}
