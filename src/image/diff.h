/* SPDX-License-Identifier: MIT */
/* diff.h - list the differences between two images */
#ifndef LC_IMAGE_DIFF_H
#define LC_IMAGE_DIFF_H

#include <stddef.h>

#include "image/image.h"

/* Call 'tell' for each path in one of the images only ('-' in a, '+' in b), or different in both
 * ('~', with what differs: "kind", "content", "stat", "listing", "target", "errno"). Access times
 * do not count. Returns the number of differences. */
size_t lc_image_diff(const struct lc_image *a, const struct lc_image *b,
                     void (*tell)(void *arg, char sign, const char *path, const char *what),
                     void *arg);

#endif
