/* SPDX-License-Identifier: MIT */
/* page.c - the files of the page that travel inside the executable */
#include <string.h>

#include "report/html.h"
#include "report/page_files.h"

const char *lc_page_file(const char *name)
{
    for (const struct lc_embedded *f = lc_page_files; f->name; f++)
        if (strcmp(f->name, name) == 0)
            return f->data;
    return "";
}
