/* SPDX-License-Identifier: MIT */
/* devs.h - which st_dev does a mount have on this node? */
#ifndef LC_STAGE_DEVS_H
#define LC_STAGE_DEVS_H

#include <stdint.h>

#include "image/look.h"

/* Fill dev[look->mounts] from the mount table: the mount at each point, or the one that covers it.
 * No file system is asked (but btrfs, whose st_dev is not in the table). 0, or -1 with errno. */
int lc_devs_find(const struct lc_look *look, uint64_t *dev);

#endif
