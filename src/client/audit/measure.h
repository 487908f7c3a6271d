/* SPDX-License-Identifier: MIT */
/* measure.h - what node/preflight.h wants to know of each object. Freestanding. */
#ifndef LC_AUDIT_MEASURE_H
#define LC_AUDIT_MEASURE_H

#include <link.h>
#include <stdbool.h>

#include "node/preflight.h"
#include "node/search_key.h"

struct lc_measure {
    bool is_wanted;
    int fd; /* where to write */
};

/* Is this process such a preflight? 'fd' is the variable's value, "" if it is not set. */
bool lc_measure_begin(struct lc_measure *m, const char *fd);

/* Measure an object, but for what decides whether room can be made. False: it has no headers. */
bool lc_measure_take(struct lc_preflight_object *out, const struct link_map *map, bool is_program,
                     const struct lc_key *key);

/* In a preflight: an object was loaded. */
void lc_measure_object(const struct lc_measure *m, const struct link_map *map, bool is_program,
                       bool is_staged, const struct lc_key *key);

#endif
