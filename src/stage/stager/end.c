/* SPDX-License-Identifier: MIT */
/* end.c - visit a node directory after staging, and report what was found */
#include "stage/stager/stager.h"
#include "stage/visit.h"

static void path_report(void *arg, json_t *path)
{
    (void)arg;
    lc_report(path);
}

int lc_stager_end(const struct lc_stager *s)
{
    const struct lc_visit visit = {
        .dir = s->dir,
        .id = s->id,
        .stats = s->stats,
        .verify = s->verify,
        .clean = s->clean,
        .all = s->all,
        .no_job = s->no_job,
        .path = path_report,
        .beat = lc_report_beat,
    };
    json_t *report = json_object();
    int rc = lc_visit_node(&visit, report);

    lc_report(report);
    return rc < 0 ? 1 : 0;
}
