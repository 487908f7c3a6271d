/* SPDX-License-Identifier: MIT */
/* page_files.h - private to src/report: the page's style sheet and scripts, made by embed.c */
#ifndef LC_REPORT_PAGE_FILES_H
#define LC_REPORT_PAGE_FILES_H

#include <stddef.h>

struct lc_page_file {
    const char *name;
    const char *data; /* ends with a NUL that is not counted */
    size_t len;
};

extern const struct lc_page_file lc_page_files[]; /* ends with a zeroed entry */

#endif
