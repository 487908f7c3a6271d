/* SPDX-License-Identifier: MIT */
/* rescue.c - keep a measured run if its database is locked or the disk is full */
#include "results/rescue.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/insert.h"
#include "results/read.h"
#include "results/spool.h"

enum { LONGEST = PATH_MAX - 200 }; /* longest path of a directory; the rest is for a file name */

struct rescue {
    const struct lc_results *r;
    const struct lc_run *end;
    char dir[PATH_MAX];
};

/* Writes the spool file: the end of the run, and everything else from the row that was reserved,
 * which can still be read. */
static int run_spool(void *arg, const struct lc_run *reserved)
{
    const struct rescue *s = arg;
    char dir[PATH_MAX];
    const struct lc_results place = {.file = s->r->file, .spool = strcpy(dir, s->dir)};
    struct lc_run whole = *s->end;
    struct lc_error ignored;

    whole.key = reserved->key;
    whole.place = reserved->place;
    whole.started_ns = reserved->started_ns;
    if (s->end->key.nodes)
        whole.key.nodes = s->end->key.nodes;
    return lc_spool_make(&place, &ignored) < 0 || lc_spool_put(&place, &whole, &ignored) < 0 ? -1
                                                                                             : 0;
}

static void error_append_rescue(const struct rescue *s, bool is_beside, struct lc_error *err)
{
    char why[600];

    snprintf(why, sizeof(why), "%.590s", err->text);
    lc_error_set(err,
                 "%s; the run that was measured is kept in '%.150s': loadcast results merge "
                 "--db '%.100s'%s%.150s%s",
                 why, s->dir, s->r->file, is_beside ? "" : " '", is_beside ? "" : s->dir,
                 is_beside ? "" : "'");
}

void lc_run_rescue(const struct lc_results *r, const struct lc_run *end, struct lc_error *err)
{
    const char *tmp = getenv("TMPDIR") && *getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
    struct rescue s = {.r = r, .end = end};
    const struct lc_run_filter one = {.id = (long)lc_insert_find(r, end->uid, false)};
    struct lc_error ignored;

    if (one.id == 0)
        return;
    for (int i = 0; i < 2; i++) {
        if (snprintf(s.dir, LONGEST, "%s%s", i == 0 ? r->file : tmp,
                     i == 0 ? ".spool" : "/loadcast-results.spool") >= LONGEST)
            continue;
        if (lc_results_each(r, &one, LC_READ_PLACE, run_spool, &s, &ignored) == 0) {
            error_append_rescue(&s, i == 0, err);
            return;
        }
    }
}
