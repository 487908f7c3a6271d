/* SPDX-License-Identifier: MIT */
/* local.h - is a file system private to a node? */
#ifndef LC_RECORD_LOCAL_H
#define LC_RECORD_LOCAL_H

#include <stdbool.h>

/* By the type in the mount table. Types that are not known are taken as shared: recording them
 * costs little, leaving them out costs the storm. */
bool lc_type_is_local(const char *type);

#endif
