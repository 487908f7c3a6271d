/* SPDX-License-Identifier: MIT */
/* words.h - private to src/report and src/cmd: shorten names of any content for tables */
#ifndef LC_REPORT_WORDS_H
#define LC_REPORT_WORDS_H

#include "util/human.h"

/* The name on one line, without control characters, at most 33 bytes: a longer name ends with
 * "...". */
struct lc_text lc_words_short(const char *bytes);

#endif
