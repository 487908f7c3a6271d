/* SPDX-License-Identifier: MIT */
/* table.c - print aligned columns */
#include "util/table.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void lc_table_begin(struct lc_table *table, size_t columns)
{
    *table = (struct lc_table){.columns = columns};
}

void lc_table_add(struct lc_table *table, const char *fmt, ...)
{
    char *text = NULL;
    va_list ap;

    if (table->count == table->cap) {
        size_t cap = table->cap ? table->cap * 2 : 64;
        char **cell = realloc(table->cell, cap * sizeof(*cell));
        if (!cell)
            return;
        table->cell = cell;
        table->cap = cap;
    }
    va_start(ap, fmt);
    if (vasprintf(&text, fmt, ap) < 0)
        text = NULL;
    va_end(ap);
    table->cell[table->count++] = text;
}

static const char *cell_text(const struct lc_table *table, size_t i)
{
    const char *text = table->cell[i] ? table->cell[i] : "";

    return i < table->columns && *text == '<' ? text + 1 : text;
}

/* Terminal columns of a text: UTF-8 continuation bytes take none. */
static size_t width_of(const char *text)
{
    size_t n = 0;

    for (; *text; text++)
        n += (*text & 0xc0) != 0x80;
    return n;
}

static void print_row(const struct lc_table *table, size_t row, const size_t *width, FILE *out)
{
    for (size_t c = 0; c < table->columns; c++) {
        const char *text = cell_text(table, row * table->columns + c);
        bool left = table->cell[c] && table->cell[c][0] == '<';
        int pad = (int)(width[c] - width_of(text));
        bool last = c + 1 == table->columns;
        if (left)
            fprintf(out, "%s%s%*s", c ? "  " : "", text, last ? 0 : pad, "");
        else
            fprintf(out, "%s%*s%s", c ? "  " : "", pad, "", text);
    }
    fputc('\n', out);
}

void lc_table_print(struct lc_table *table, FILE *out)
{
    size_t rows = table->count / table->columns;
    size_t *width = calloc(table->columns, sizeof(*width));

    for (size_t i = 0; width && i < rows * table->columns; i++) {
        size_t n = width_of(cell_text(table, i));
        if (n > width[i % table->columns])
            width[i % table->columns] = n;
    }
    for (size_t r = 0; width && r < rows; r++)
        print_row(table, r, width, out);
    free(width);
    for (size_t i = 0; i < table->count; i++)
        free(table->cell[i]);
    free(table->cell);
}
