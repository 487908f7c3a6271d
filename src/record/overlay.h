/* SPDX-License-Identifier: MIT */
/* overlay.h - where the changes to an image go when it cannot be written itself */
#ifndef LC_RECORD_OVERLAY_H
#define LC_RECORD_OVERLAY_H

#include <stdbool.h>
#include <stddef.h>

#include "image/image.h"
#include "image/tree.h"

/* True if this user cannot replace the image, or its mode is read-only. */
bool lc_overlay_is_needed(const char *file);

/* Would writing the image anew take much longer than writing what is new in the tree? */
bool lc_overlay_is_shorter(const struct lc_image *image, const struct lc_tree *tree);

/* "IMAGE.overlay-LINE", beside the image, where whoever sees the image sees it. 'out' has PATH_MAX
 * bytes; false if that is too long a path. */
bool lc_overlay_name_beside(const char *image, const char *line, char *out);

/* Remove overlays of the same image that stand beside this one, so named, for more than a day. */
void lc_overlay_remove_old(const char *overlay);

/* The directory for overlays below $HOME, made if need be. 0, or -1 if it cannot be used. */
int lc_overlay_home_dir(char *out, size_t room);

/* Choose the file: 'wanted' if given, the image's own if it can be replaced, else one of this job
 * in lc_overlay_home_dir(), else in a private directory below $TMPDIR or /tmp. 0, or -1 with err.
 */
int lc_overlay_choose(const struct lc_image *image, const char *wanted, char *out, size_t room,
                      bool *is_overlay, struct lc_error *err);

#endif
