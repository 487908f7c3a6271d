/* SPDX-License-Identifier: MIT */
/* libraries.h - which libraries the programs of a traced run loaded */
#ifndef LC_DOCTOR_LIBRARIES_H
#define LC_DOCTOR_LIBRARIES_H

#include <stdbool.h>

#include "util/buf.h"
#include "util/error.h"
#include "util/map.h"

/* Programs by path, each with its libraries by path. Start with a zeroed struct. */
struct lc_libraries {
    struct lc_map program; /* values: struct lc_map * */
};

/* Read the log of 'loadcast trace'. Paths of files staged below 'memory' (may be NULL) become those
 * of the originals, and Loadcast's own objects there are left out. 0, or -1 with err filled. The
 * caller frees it in both cases. */
int lc_libraries_read(struct lc_libraries *all, const char *log, const char *memory,
                      struct lc_error *err);
void lc_libraries_free(struct lc_libraries *all);

/* Did the programs of a plain run load the same libraries in another one? Programs that the plain
 * run did not start are ignored: Loadcast starts some of its own. If not, the first difference is
 * added to 'why'. */
bool lc_libraries_match(const struct lc_libraries *plain, const struct lc_libraries *other,
                        struct lc_buf *why);

/* All of them as text, one "PROGRAM: LIBRARY" per line. */
void lc_libraries_text(const struct lc_libraries *all, struct lc_buf *out);

#endif
