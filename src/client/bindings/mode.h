/* SPDX-License-Identifier: MIT */
/* mode.h - are bindings to be replayed in this process? Freestanding. */
#ifndef LC_CLIENT_BINDINGS_MODE_H
#define LC_CLIENT_BINDINGS_MODE_H

#include <stdint.h>

/* LOADCAST_BINDINGS=0: no; =verify: yes, but let ld.so look up everything as well, and compare. */
#define LC_BIND_VARIABLE "LOADCAST_BINDINGS"

/* LOADCAST_PRUNE=off: hide no DT_NEEDED from ld.so; =small: even where there is little to gain. */
#define LC_PRUNE_VARIABLE "LOADCAST_PRUNE"

enum lc_bind_mode {
    LC_BIND_MODE_ON,
    LC_BIND_MODE_OFF,
    LC_BIND_MODE_VERIFY,
    LC_BIND_MODE_ODD, /* a variable is set that changes how ld.so binds, or none can be read */
};

/* *prune_from: hide names only in groups of at least so many new objects; UINT32_MAX: never. */
enum lc_bind_mode lc_bind_mode(uint32_t *prune_from);

#endif
