/* SPDX-License-Identifier: MIT */
/* measure.h - what node/preflight.h wants to know of each object. Freestanding. */
#ifndef LC_AUDIT_MEASURE_H
#define LC_AUDIT_MEASURE_H

#include <link.h>
#include <stdbool.h>

#include "node/search_key.h"

struct lc_measure {
    bool is_wanted;
    int fd; /* where to write */
};

/* Is this process such a preflight? 'fd' is the variable's value, "" if it is not set. */
bool lc_measure_begin(struct lc_measure *m, const char *fd);

/* An object was loaded. */
void lc_measure_object(const struct lc_measure *m, const struct link_map *map, bool is_program,
                       bool is_staged, const struct lc_key *key);

#endif
