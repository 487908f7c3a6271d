/* SPDX-License-Identifier: MIT */
/* user_dir.h - the directory of this user's in a place: DIR/loadcast-UID
 *
 * Anybody may have made something of that name in a place that all can write to. Then it is
 * DIR/loadcast-UID.WORD: the first of those that are this user's, or a new one whose name nobody
 * could foresee. */
#ifndef LC_STAGE_USER_DIR_H
#define LC_STAGE_USER_DIR_H

#include <stdbool.h>

#include "stage/place.h"

enum { LC_USER_DIR_NAME = 64, LC_USER_DIR_LEN = LC_STAGE_PLACE_LEN + LC_USER_DIR_NAME };

/* Open the user's directory in a judged place (place->fd); with 'make' it is made when absent. Its
 * path goes to 'path'. A descriptor (close-on-exec), or -1 with err filled and errno: ENOENT
 * absent, EPERM not to be trusted, else why. */
int lc_user_dir_open(const struct lc_stage_place *place, bool make, char path[LC_USER_DIR_LEN],
                     struct lc_error *err);

/* Call 'each' with every directory of this user's there: one, or several if the name was taken at
 * times. 'refused' (may be NULL) is told of what stands under the usual name and is not his. */
void lc_user_dir_each(const struct lc_stage_place *place,
                      void (*each)(void *arg, int user, const char *path),
                      void (*refused)(void *arg, const struct lc_error *why), void *arg);

#endif
