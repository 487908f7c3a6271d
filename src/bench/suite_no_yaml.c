/* SPDX-License-Identifier: MIT */
/* suite_no_yaml.c - replaces suite_yaml.c in builds without libcyaml */
#include <errno.h>

#include "bench/suite.h"

struct lc_suite *lc_suite_read(const char *file, struct lc_error *err)
{
    lc_error_set(err,
                 "cannot read '%s': this loadcast was built without libcyaml; name the cases "
                 "on the command line",
                 file);
    errno = ENOSYS;
    return NULL;
}
