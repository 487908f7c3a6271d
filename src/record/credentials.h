/* SPDX-License-Identifier: MIT */
/* credentials.h - where users keep passwords and keys: not to be packed unless asked for */
#ifndef LC_RECORD_CREDENTIALS_H
#define LC_RECORD_CREDENTIALS_H

#include <stdbool.h>

/* Is 'path' one of the places that loadcast-record(1) lists, or below one? Compares whole names. */
bool lc_credential_is_place(const char *path);

/* Does the name look like a credential (*.keytab)? Do not call it for programs, modules, or files
 * in a software tree. */
bool lc_credential_is_likely(const char *path);

#endif
