/* SPDX-License-Identifier: MIT */
/* readable_image.h - open an image, and leave out what this user may not read
 *
 * An image that this user or root made is used as it is. Another user's may hold files that its
 * maker could read and this user cannot. Of such an image only that is used which the recorded
 * owners and modes let this user reach; for the rest the file system is asked. Access control lists
 * are not recorded: if a list allows more than the mode, the file system is asked; if it allows
 * less, that is not known. */
#ifndef LC_STAGE_READABLE_IMAGE_H
#define LC_STAGE_READABLE_IMAGE_H

#include <stdint.h>

#include "image/image.h"
#include "util/error.h"

/* As lc_image_open, without what this user may not reach; *id is the identity of the file. */
struct lc_image *lc_readable_image_open(const char *file, uint64_t *id, struct lc_error *err);

/* Does the image file belong to another user than this one and root? */
bool lc_image_file_is_foreign(const char *file);

#endif
