/* SPDX-License-Identifier: MIT */
/* origin.h - $ORIGIN in a path of ld.so's. Freestanding. */
#ifndef LC_AUDIT_ORIGIN_H
#define LC_AUDIT_ORIGIN_H

#include <stddef.h>

/* The first 'len' characters of 'text' with the directory of 'owner' for each $ORIGIN and
 * ${ORIGIN}, into 'out', with a NUL. Returns the length; 0: it does not fit, 'owner' is no absolute
 * path, or there is another token, of which only ld.so knows the value. */
size_t lc_origin_expand(char *out, size_t room, const char *text, size_t len, const char *owner);

#endif
