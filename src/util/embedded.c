/* SPDX-License-Identifier: MIT */
/* embedded.c - files carried inside the executable */
#include "util/embedded.h"

#include <string.h>

const char *lc_embedded_text(const struct lc_embedded *table, const char *name)
{
    for (; table->name; table++)
        if (strcmp(table->name, name) == 0)
            return table->data;
    return NULL;
}
