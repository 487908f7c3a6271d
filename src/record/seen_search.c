/* SPDX-License-Identifier: MIT */
/* seen_search.c - read the library searches that the audit object logged in the pilot */
#include "record/seen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FIELDS = 10 };

static size_t line_split(char *line, char *field[MOST_FIELDS])
{
    size_t n = 0;

    line[strcspn(line, "\n")] = '\0';
    for (char *word; n < MOST_FIELDS && (word = strsep(&line, "\t"));)
        field[n++] = word;
    return n;
}

int lc_seen_read_searches(struct lc_seen *seen, const char *file)
{
    FILE *in = fopen(file, "re");
    char *line = NULL, *field[MOST_FIELDS];
    size_t room = 0;
    uint32_t key = LC_NONE;
    int rc = 0;

    if (!in)
        return -1;
    while (rc == 0 && getline(&line, &room, in) > 0) {
        size_t n = line_split(line, field);
        if (n == 9 && strcmp(field[0], "key") == 0) {
            struct lc_tree_key k = {strtoull(field[1], NULL, 16),
                                    strtoull(field[2], NULL, 16),
                                    strtoull(field[3], NULL, 16),
                                    (uint32_t)strtoul(field[4], NULL, 10),
                                    field[5],
                                    field[6],
                                    field[7],
                                    field[8]};
            key = lc_tree_key(&seen->search, &k);
            rc = key == LC_NONE ? -1 : 0;
        } else if (n == 5 && strcmp(field[0], "found") == 0 && key != LC_NONE) {
            rc = lc_tree_search(&seen->search, key, strtoull(field[1], NULL, 16), field[2],
                                field[3], field[4]);
        }
    }
    free(line);
    fclose(in);
    return rc;
}
