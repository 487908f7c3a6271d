/* SPDX-License-Identifier: MIT */
/* page.c - the files of page/, which are embedded in the executable */
#include "report/html.h"
#include "report/page_files.h"

const char *lc_page_file(const char *name)
{
    const char *text = lc_embedded_text(lc_page_files, name);

    return text ? text : "";
}
