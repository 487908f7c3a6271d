/* SPDX-License-Identifier: MIT */
/* verbs.c - commands that are followed by a verb */
#include "cmd/verbs.h"

#include <string.h>

#include "util/buf.h"
#include "util/nearest.h"

enum { MOST_VERBS = 15 };

const struct lc_verb *lc_verb_find(const struct lc_verb *verbs, const char *name,
                                   struct lc_error *err)
{
    const char *names[MOST_VERBS + 1] = {NULL};
    struct lc_buf list = {0};

    for (size_t i = 0; verbs[i].name && i < MOST_VERBS; i++) {
        if (strcmp(name, verbs[i].name) == 0) {
            lc_buf_free(&list);
            return &verbs[i];
        }
        names[i] = verbs[i].name;
        lc_buf_printf(&list, "%s%s", i ? ", " : "", names[i]);
    }
    const char *near = lc_nearest(name, names);
    lc_error_set(err, "'%s' is none of %s%s%s%s", name, lc_buf_text(&list),
                 near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    lc_buf_free(&list);
    return NULL;
}
