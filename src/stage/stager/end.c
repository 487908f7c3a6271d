/* SPDX-License-Identifier: MIT */
/* end.c - visit a node directory after staging, and report what was found */
#include <unistd.h>

#include "stage/stager/stager.h"
#include "stage/visit.h"
#include "util/clock.h"

static void path_report(void *arg, json_t *path)
{
    (void)arg;
    lc_report(path);
}

static bool is_sampled(const struct lc_stager *s)
{
    char host[256] = "?";

    gethostname(host, sizeof(host) - 1);
    return lc_misses_is_sampled(host, lc_clock_wall_ns(), s->misses);
}

/* One line each: launchers mix long lines of several processes. Names that are not UTF-8 are left
 * out.
 */
static void misses_report(const struct lc_misses *misses)
{
    for (size_t i = 0; i < misses->paths.count; i++) {
        json_t *path = json_string(misses->paths.entry[i].key);
        unsigned kinds = *(unsigned *)misses->paths.entry[i].value;
        if (path)
            lc_report(json_pack("{s:o, s:I}", "miss", path, "kinds", (json_int_t)kinds));
    }
    lc_report(json_pack("{s:I, s:I, s:I}", "miss_began", (json_int_t)misses->began_wall_ns, "lost",
                        (json_int_t)misses->lost, "lost_writes", (json_int_t)misses->lost_writes));
}

int lc_stager_end(const struct lc_stager *s)
{
    struct lc_misses misses = {0};
    const struct lc_visit visit = {
        .dir = s->dir,
        .id = s->id,
        .only_libs = s->only_libs,
        .stats = s->stats,
        .verify = s->verify,
        .clean = s->clean,
        .all = s->all,
        .no_job = s->no_job,
        .path = path_report,
        .beat = lc_report_beat,
        .misses = is_sampled(s) ? &misses : NULL,
    };
    json_t *report = json_object();
    int rc = lc_visit_node(&visit, report);

    if (misses.began_wall_ns > 0)
        misses_report(&misses);
    lc_misses_free(&misses);
    lc_report(report);
    return rc < 0 ? 1 : 0;
}
