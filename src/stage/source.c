/* SPDX-License-Identifier: MIT */
/* source.c - where the objects lie that belong to this program */
#include "stage/stage.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/own_path.h"

/* For "/../libexec/loadcast" and the name of anything in there: no path of ours is ever cut. */
enum { LC_ORIGIN_ROOM = 64 };

int lc_stage_origin(char *out, size_t size, struct lc_error *err)
{
    char self[PATH_MAX], probe[PATH_MAX + 32];

    if (lc_own_directory(self, err) < 0)
        return -1;
    if (strlen(self) + LC_ORIGIN_ROOM > size) {
        errno = ENAMETOOLONG;
        return lc_error_errno(err, "cannot use what is installed with this program");
    }
    snprintf(out, size, "%s", self);
    snprintf(probe, sizeof(probe), "%s/launch", self);
    if (access(probe, X_OK) == 0)
        return 0;
    return lc_error_errno(err, "the launcher '%s' is not there; install Loadcast whole", probe);
}
