/* SPDX-License-Identifier: MIT */
/* page_files.h - private to src/report: the page's style sheet and scripts, made by util/embed.c */
#ifndef LC_REPORT_PAGE_FILES_H
#define LC_REPORT_PAGE_FILES_H

#include "util/embedded.h"

extern const struct lc_embedded lc_page_files[]; /* ends with a zeroed entry */

#endif
