/* SPDX-License-Identifier: MIT */
/* foreign_image.h - of another user's image only what this user may reach
 *
 * An image that this user made, or root, answers whatever it holds. Another user's may hold files
 * that its maker could read and this user cannot: it answers what the recorded owners and modes let
 * this user reach, and says nothing of the rest, for which the file system is asked. Access control
 * lists are not recorded: what they allow beyond the mode is asked, too; what they refuse
 * although the mode allows it is not known. */
#ifndef LC_STAGE_READABLE_IMAGE_H
#define LC_STAGE_READABLE_IMAGE_H

#include <stdint.h>

#include "image/image.h"
#include "util/error.h"

/* As lc_image_open, limited as said above; *id is the identity of the file. */
struct lc_image *lc_readable_image_open(const char *file, uint64_t *id, struct lc_error *err);

/* Does the file belong to neither this user nor root? */
bool lc_image_file_is_foreign(const char *file);

#endif
