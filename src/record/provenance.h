/* SPDX-License-Identifier: MIT */
/* provenance.h - how, when and where an image was made: JSON text in the image */
#ifndef LC_RECORD_PROVENANCE_H
#define LC_RECORD_PROVENANCE_H

#include <jansson.h>

#include "image/image.h"

/* Keys: prefixes of --manage and patterns of --exclude; an array of what jobs have added, each
 * {number, when, job, entries, bytes} (LC_SECTION_LEARNT has the numbers); when some of it was last
 * taken out, in nanoseconds since 1970. Each may be missing. */
#define LC_PROVENANCE_MANAGE  "manage"
#define LC_PROVENANCE_EXCLUDE "exclude"
#define LC_PROVENANCE_LEARNT  "learnt"
#define LC_PROVENANCE_FORGOT  "forgot_ns"

/* The provenance of an image as an object, {} if it has none; the caller owns it. */
json_t *lc_provenance_of(const struct lc_image *image);

/* The provenance of an image, plus when and where it was checked. Text; the caller frees it. */
char *lc_provenance_checked(const struct lc_image *image);

/* The executable of the recorded interpreter with this cache tag; NULL if there is none. The caller
 * frees it. */
char *lc_provenance_python(const struct lc_image *image, const char *cache_tag);

/* Add "glibc", "hwcap", and the PYTHON* and LD_* environment. 'into' is borrowed. */
void lc_provenance_add_system(json_t *into);

/* Add one interpreter, once per executable. */
void lc_provenance_add_python(json_t *into, const char *executable, const char *version,
                              const char *cache_tag);

#endif
