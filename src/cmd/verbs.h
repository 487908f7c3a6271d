/* SPDX-License-Identifier: MIT */
/* verbs.h - commands that are followed by a verb: 'loadcast results list', 'loadcast images show'
 */
#ifndef LC_CMD_VERBS_H
#define LC_CMD_VERBS_H

#include <stddef.h>

#include "util/error.h"

struct lc_verb {
    const char *name;
    int (*run)(int argc, char **argv); /* arguments after the verb; returns an exit code */
};

/* The verb of that name; or NULL, with err filled: which ones there are, and the nearest. The table
 * ends with a NULL name. */
const struct lc_verb *lc_verb_find(const struct lc_verb *verbs, const char *name,
                                   struct lc_error *err);

#endif
