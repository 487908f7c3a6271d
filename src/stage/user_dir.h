/* SPDX-License-Identifier: MIT */
/* user_dir.h - this user's directory in a place: DIR/loadcast-UID
 *
 * In a place that all can write to, another user may have taken that name. Then
 * DIR/loadcast-UID.WORD is used: the first that belongs to this user, or a new one with a name that
 * nobody can foresee. */
#ifndef LC_STAGE_USER_DIR_H
#define LC_STAGE_USER_DIR_H

#include <stdbool.h>

#include "stage/place.h"

enum { LC_USER_DIR_NAME = 64, LC_USER_DIR_LEN = LC_STAGE_PLACE_LEN + LC_USER_DIR_NAME };

/* Open the user's directory in a judged place (place->fd); with 'make' it is made if absent. 'path'
 * becomes its path. A descriptor (close-on-exec), or -1 with err filled and errno: ENOENT
 * absent, EPERM not to be trusted, else why. */
int lc_user_dir_open(const struct lc_stage_place *place, bool make, char path[LC_USER_DIR_LEN],
                     struct lc_error *err);

/* Call 'each' with every directory of this user there: usually one, several if the name was taken
 * for some time. 'refused' (may be NULL) is called if something else has the usual name. */
void lc_user_dir_each(const struct lc_stage_place *place,
                      void (*each)(void *arg, int user, const char *path),
                      void (*refused)(void *arg, const struct lc_error *why), void *arg);

#endif
