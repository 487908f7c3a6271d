/* SPDX-License-Identifier: MIT */
/* nearest.c - edit distance for "did you mean" */
#include "util/nearest.h"

#include <string.h>

enum { LONGEST = 63 };

static size_t minimum(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Damerau-Levenshtein (adjacent swaps) over at most LONGEST characters. */
static size_t edit_distance(const char *a, size_t na, const char *b, size_t nb)
{
    size_t row[3][LONGEST + 1];
    size_t *before = row[0], *last = row[1], *now = row[2];

    for (size_t j = 0; j <= nb; j++)
        last[j] = j;
    memcpy(before, last, sizeof(row[0]));
    for (size_t i = 1; i <= na; i++) {
        now[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            size_t d = last[j - 1] + (a[i - 1] != b[j - 1]);
            d = minimum(d, minimum(last[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d = minimum(d, before[j - 2] + 1);
            now[j] = d;
        }
        size_t *free_row = before;
        before = last;
        last = now;
        now = free_row;
    }
    return last[nb];
}

const char *lc_nearest(const char *word, const char *const *names)
{
    size_t n = strlen(word), best = LONGEST;
    const char *found = NULL;

    if (n == 0 || n > LONGEST)
        return NULL;
    for (; *names; names++) {
        size_t m = strlen(*names);
        if (m == 0 || m > LONGEST)
            continue;
        size_t d = edit_distance(word, n, *names, m);
        if (d < best) {
            best = d;
            found = *names;
        }
    }
    return found && best <= 1 + n / 4 && best < n ? found : NULL;
}
