/* SPDX-License-Identifier: MIT */
/* overlay.h - where the changes to an image go when it cannot be written itself */
#ifndef LC_RECORD_OVERLAY_H
#define LC_RECORD_OVERLAY_H

#include <stdbool.h>
#include <stddef.h>

#include "image/image.h"

/* Choose the file: 'wanted' if given, the image's own if it can be replaced, else one in a
 * directory of this user and job below $TMPDIR or /tmp. 0, or -1 with err filled. */
int lc_overlay_choose(const struct lc_image *image, const char *wanted, char *out, size_t room,
                      bool *is_overlay, struct lc_error *err);

#endif
