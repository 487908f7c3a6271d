/* SPDX-License-Identifier: MIT */
/* output.h - a file that appears whole or not at all */
#ifndef LC_UTIL_OUTPUT_H
#define LC_UTIL_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "util/error.h"
#include "util/temporary.h"

struct lc_output {
    FILE *stream;              /* to write to */
    const char *file;          /* borrowed */
    struct lc_temporary fresh; /* what is renamed to it, unless it is written in place */
};

/* "-" is standard output. Devices, pipes and links (/dev/stdout) are written through, but for links
 * of other users (in_place.h); files are replaced whole by lc_output_close. 0, or -1 with err
 * filled. */
int lc_output_open(struct lc_output *out, const char *file, struct lc_error *err);

/* From now on a limit on the size of files (ulimit -f) is an error of writing, not the end of us
 * with half a file left behind. For processes that start no program of the user's any more. */
void lc_output_heed_limits(void);

/* With keep false, or after an error, what was there before is left as it was. 0, or -1 with err
 * filled. */
int lc_output_close(struct lc_output *out, bool keep, struct lc_error *err);

#endif
