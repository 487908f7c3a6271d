/* SPDX-License-Identifier: MIT */
/* credentials.h - where users keep passwords and keys: not to be packed unless asked for */
#ifndef LC_RECORD_CREDENTIALS_H
#define LC_RECORD_CREDENTIALS_H

#include <stdbool.h>

/* One of the places that loadcast-record(1) lists, or below one: by whole names. */
bool lc_credential_is_place(const char *path);

/* By a pattern (*.keytab): not to be asked of programs, modules, or what lies in a tree of
 * software. */
bool lc_credential_is_likely(const char *path);

#endif
