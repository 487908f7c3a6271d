/* SPDX-License-Identifier: MIT */
/* lines.h - lines that come in an order of their own, printed sorted */
#ifndef LINES_H
#define LINES_H

#include <stdarg.h>

#include "case.h"

#define LINES 900
static char *sorted[LINES];
static int lines;

__attribute__((format(printf, 1, 2))) static void add_line(const char *format, ...)
{
    va_list more;

    va_start(more, format);
    if (lines == LINES || vasprintf(&sorted[lines++], format, more) < 0)
        exit(9);
    va_end(more);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void flush_lines(const char *how, int result)
{
    printf("%s: %d %s\n", how, result, result < 0 ? error_name(errno) : "");
    qsort(sorted, (size_t)lines, sizeof(*sorted), by_text);
    for (int i = 0; i < lines; i++)
        printf("  %s\n", sorted[i]);
    lines = 0;
}

#endif
