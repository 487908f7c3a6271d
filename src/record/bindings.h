/* SPDX-License-Identifier: MIT */
/* bindings.h - from the logs of the pilot's processes to a bindings section */
#ifndef LC_RECORD_BINDINGS_H
#define LC_RECORD_BINDINGS_H

#include <stdbool.h>

#include "util/buf.h"
#include "util/error.h"

/* Make a bindings section of all logs in 'dir'; *out is empty if nothing can be replayed.
 * *is_unresolved is set, and nothing is made, if a library could not be loaded because a symbol had
 * no definition: with lazy binding the program might never have called it. NULL if nothing was
 * bound earlier than without us. 0, or -1 with err filled. */
int lc_record_bindings(const char *dir, struct lc_buf *out, bool *is_unresolved,
                       struct lc_error *err);

/* Remove the directory with its logs. */
void lc_record_bindings_clear(const char *dir);

/* Merge the section 'more' into 'all'. 0, or -1 with errno. */
int lc_record_bindings_unite(struct lc_buf *all, const struct lc_buf *more);

#endif
