/* SPDX-License-Identifier: MIT */
/* mounts.h - check that this process has the mounts that the image was staged for. Freestanding.
 *
 * In a container, or behind a private mount, a path of the image may be another file. */
#ifndef LC_NODE_MOUNTS_H
#define LC_NODE_MOUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "image/look.h"

/* The inode number of this process's mount namespace; 0 if it is not known. */
uint64_t lc_mounts_namespace(void);

/* A hash of the mounts at, above and below entries of the image: which file system is mounted
 * where. False if they cannot be read. */
bool lc_mounts_seen(const struct lc_look *look, uint64_t *seen);

/* A bit for each mount that has recorded entries, as lc_state.held. */
uint64_t lc_mounts_held(const struct lc_look *look);

/* Does a path lie on one of these mounts? On the root file system, which holds everybody's files,
 * only below a recorded entry, unless it is mounted by NFS. */
bool lc_mounts_is_managed(const struct lc_look *look, uint64_t held, const char *path);

#endif
