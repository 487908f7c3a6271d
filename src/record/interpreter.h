/* SPDX-License-Identifier: MIT */
/* interpreter.h - may the Python that an image names be started? */
#ifndef LC_RECORD_INTERPRETER_H
#define LC_RECORD_INTERPRETER_H

#include <limits.h>

#include "image/image.h"
#include "util/error.h"

/* The interpreter that made the bytecode with this tag ("cpython-311"), links resolved, if it may
 * be started: the image belongs to this user or root, and nobody else can write to the interpreter
 * or to a directory on the way to it. Who owns it does not matter: a site's software has an account
 * of its own. 0, or -1 with err filled. */
int lc_interpreter_find(const struct lc_image *image, const char *tag, char out[PATH_MAX],
                        struct lc_error *err);

#endif
