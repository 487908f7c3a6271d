/* SPDX-License-Identifier: MIT */
/* interpreter.h - find the Python interpreter that an image names, if it can be trusted */
#ifndef LC_RECORD_INTERPRETER_H
#define LC_RECORD_INTERPRETER_H

#include <limits.h>

#include "image/image.h"
#include "util/error.h"

/* The interpreter that made the bytecode with this tag ("cpython-311"), links resolved, if it may
 * be started: the image belongs to this user or root, and nobody but their owners can write to the
 * interpreter and the directories above it. Who the owner is does not matter: software of a site
 * often has an account of its own. 0, or -1 with err filled. */
int lc_interpreter_find(const struct lc_image *image, const char *tag, char out[PATH_MAX],
                        struct lc_error *err);

#endif
