/* SPDX-License-Identifier: MIT */
/* table.h - print aligned columns */
#ifndef LC_UTIL_TABLE_H
#define LC_UTIL_TABLE_H

#include <stddef.h>
#include <stdio.h>

/* Cells are added left to right, row by row; the first row is the heading. Columns whose heading
 * starts with '<' (dropped) are aligned left, the others right. */
struct lc_table {
    size_t columns;
    char **cell; /* owned */
    size_t count;
    size_t cap;
};

void lc_table_begin(struct lc_table *table, size_t columns);
void lc_table_add(struct lc_table *table, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void lc_table_print(struct lc_table *table, FILE *out); /* prints and frees */

#endif
