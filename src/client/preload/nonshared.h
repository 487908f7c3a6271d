/* SPDX-License-Identifier: MIT */
/* nonshared.h - functions that a C library may lack because programs brought them along */
#ifndef LC_PRELOAD_NONSHARED_H
#define LC_PRELOAD_NONSHARED_H

/* The function of that name, as the C library would have it; NULL: it is none of these. */
void *lc_nonshared(const char *name);

#endif
