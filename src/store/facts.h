/* SPDX-License-Identifier: MIT */
/* facts.h - small words and numbers that earlier jobs measured, kept in the user's store, e.g. what
 * a launcher's step costs
 *
 * A fact is a hint: it may be lost at any time, and what it says may be out of date. Names are of
 * [a-z0-9._-], at most LC_STORE_FACT_NAME characters; other names are never known. A value is text
 * without newlines. */
#ifndef LC_STORE_FACTS_H
#define LC_STORE_FACTS_H

#include <stdbool.h>
#include <stddef.h>

enum { LC_STORE_FACT_NAME = 120 };

/* False: not known, or no usable store. Three operations on the store's disk. */
bool lc_store_fact_read(const char *name, char *out, size_t size);

/* Silent if there is no usable store; that is made if there is none. */
void lc_store_fact_write(const char *name, const char *value);

#endif
