/* SPDX-License-Identifier: MIT */
/* tls_room.h - set room for thread variables in GLIBC_TUNABLES (audit_fit.h). Freestanding. */
#ifndef LC_NODE_TLS_ROOM_H
#define LC_NODE_TLS_ROOM_H

#include <stddef.h>
#include <stdint.h>

/* Size of the buffer for lc_tls_room_text. 'old' is the variable's value, or NULL. */
size_t lc_tls_room_size(const char *old);

/* Write "GLIBC_TUNABLES=..." with 'bytes' of room as its last item, in place of an earlier setting
 * of ours; 0: only remove that. Returns the end of the text, or NULL if no item is left. */
char *lc_tls_room_text(char *out, const char *old, uint64_t bytes);

#endif
