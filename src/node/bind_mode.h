/* SPDX-License-Identifier: MIT */
/* bind_mode.h - decide whether bindings are replayed in this process. Freestanding. */
#ifndef LC_NODE_BIND_MODE_H
#define LC_NODE_BIND_MODE_H

#include <stdint.h>

#include "node/parts.h"
#include "node/search_key.h"

enum lc_bind_mode {
    LC_BIND_MODE_ON,
    LC_BIND_MODE_OFF,
    LC_BIND_MODE_VERIFY,
    LC_BIND_MODE_ODD, /* a variable is set that changes how ld.so binds, or the environment cannot
                         be read */
};

/* The variables that decide; 'v' is filled to read the first letter of each into 'first'. */
enum { LC_MODE_OURS, LC_MODE_WEAK, LC_MODE_PROFILE, LC_MODE_PRUNE, LC_MODE_VARIABLES };
void lc_bind_mode_wants(struct lc_variable *v, char (*first)[2]);

/* Decide from these variables, as lc_key_read() found them. *prune_from: hide names only in groups
 * of at least so many new objects; UINT32_MAX: never. */
enum lc_bind_mode lc_bind_mode(const struct lc_variable *v, const struct lc_key *key,
                               uint32_t *prune_from);

#endif
