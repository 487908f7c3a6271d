/* SPDX-License-Identifier: MIT */
/* mounts.h - does this process see the mounts that the image was staged for? Freestanding.
 *
 * In a container, or behind a mount of somebody's own, a path of the image may be another file. */
#ifndef LC_NODE_MOUNTS_H
#define LC_NODE_MOUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "image/look.h"

/* The number of this process's mount namespace; 0 if it cannot be told. */
uint64_t lc_mounts_namespace(void);

/* A number for the mounts at, above and inside the trees of the image: which file system stands
 * where. False if they cannot be read. */
bool lc_mounts_seen(const struct lc_look *look, uint64_t *seen);

/* Which mounts does the image hold something of? As lc_state.held. */
uint64_t lc_mounts_held(const struct lc_look *look);

/* Does a path lie on one of these? On the root's disk, where everybody's files are, only inside a
 * recorded tree, unless it is a server's. */
bool lc_mounts_is_managed(const struct lc_look *look, uint64_t held, const char *path);

#endif
