/* SPDX-License-Identifier: MIT */
/* output.h - write a file that is replaced completely or not at all */
#ifndef LC_UTIL_OUTPUT_H
#define LC_UTIL_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "util/error.h"
#include "util/temporary.h"

struct lc_output {
    FILE *stream;     /* to write to */
    const char *file; /* borrowed */
    struct lc_temporary
        fresh; /* renamed to 'file' at the end, unless the file is written in place */
};

/* Open an output; "-" is standard output. Devices, pipes and links (/dev/stdout) are opened and
 * written to, except links of other users (trusted_open.h); regular files are replaced by
 * lc_output_close. 0, or -1 with err filled. */
int lc_output_open(struct lc_output *out, const char *file, struct lc_error *err);

/* Ignore SIGXFSZ: beyond the limit on the size of files (ulimit -f) a write then fails with EFBIG,
 * instead of a signal that ends the process with half a file left behind. Only for processes that
 * start no program of the user afterwards, which would inherit this. */
void lc_output_ignore_sigxfsz(void);

/* Close the output. If 'keep' is false, or after an error, the file stays as it was before. 0, or
 * -1 with err filled. */
int lc_output_close(struct lc_output *out, bool keep, struct lc_error *err);

#endif
