/* SPDX-License-Identifier: MIT */
/* words.h - private to src/report and src/cmd: names of any content where there is little room */
#ifndef LC_REPORT_WORDS_H
#define LC_REPORT_WORDS_H

#include "util/human.h"

/* On one line, harmless to a terminal, at most 33 bytes: the end is cut off with "...". */
struct lc_text lc_words_short(const char *bytes);

#endif
