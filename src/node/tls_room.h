/* SPDX-License-Identifier: MIT */
/* tls_room.h - GLIBC_TUNABLES with room for thread variables (fit.h). Freestanding. */
#ifndef LC_NODE_TLS_ROOM_H
#define LC_NODE_TLS_ROOM_H

#include <stddef.h>
#include <stdint.h>

/* Bytes for lc_tls_room_text. 'old' is the variable's value, or NULL. */
size_t lc_tls_room_size(const char *old);

/* "GLIBC_TUNABLES=..." with 'bytes' of room at its end instead of an earlier setting of ours; 0:
 * without. Returns the end of the text; NULL: nothing is left to be set. */
char *lc_tls_room_text(char *out, const char *old, uint64_t bytes);

#endif
