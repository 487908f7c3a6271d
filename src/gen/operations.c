/* SPDX-License-Identifier: MIT */
/* operations.c - what each task will ask of the file system, computed from the structure */
#include "gen/operations.h"

struct lc_operations lc_operations(const struct lc_gen_config *c, enum lc_mode mode)
{
    (void)c;
    (void)mode;
    return (struct lc_operations){0, 0, 0};
}

json_t *lc_operations_json(const struct lc_gen_config *config, enum lc_mode mode)
{
    struct lc_operations o = lc_operations(config, mode);

    return json_pack("{s:I, s:I, s:I}", "opens", (json_int_t)o.opens, "failed_opens",
                     (json_int_t)o.failed_opens, "stats", (json_int_t)o.stats);
}
