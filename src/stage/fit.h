/* SPDX-License-Identifier: MIT */
/* fit.h - was the image recorded for what runs here? */
#ifndef LC_STAGE_FIT_H
#define LC_STAGE_FIT_H

#include <stdbool.h>

#include "image/look.h"
#include "util/error.h"

/* Is the C library here the one the image was recorded with? A libc of one version under the ld.so
 * of another crashes. 0, or -1 with err filled (says both) and errno EBADMSG. */
int lc_fit_glibc(const struct lc_look *look, struct lc_error *err);

/* x of the glibc 2.x that it was recorded with; 0 if it does not say. */
uint32_t lc_fit_glibc_minor(const struct lc_look *look);

/* Bytes of thread variables of the recorded program that has most (lc_state.tls_bytes); 0: unknown.
 */
uint32_t lc_fit_tls_bytes(const struct lc_look *look);

/* If the command is a Python: was the image recorded with this version? Returns as lc_fit_glibc.
 * 'held' is that of the node's state. File systems that the image has files of are not asked: a
 * Python there that was not recorded is accepted. */
int lc_fit_python(const struct lc_look *look, uint64_t held, const char *command,
                  struct lc_error *err);

#endif
