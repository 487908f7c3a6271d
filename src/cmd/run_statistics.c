/* SPDX-License-Identifier: MIT */
/* run_statistics.c - run --stats, on standard error */
#include "cmd/run_statistics.h"

#include <stdio.h>
#include <string.h>

#include "util/buf.h"
#include "util/human.h"

static void stage_print(const struct lc_run_statistics *s)
{
    const char *plural = s->nodes == 1 ? "" : "s";

    switch (s->staged) {
    case LC_RUN_STAGED_EARLIER:
        fprintf(stderr, "stage      done by an earlier run of this job\n");
        break;
    case LC_RUN_STAGED_NOTHING:
        fprintf(stderr, "stage      %s by %s: %zu node%s had it already\n",
                lc_human_seconds(s->stage_s).s, lc_via_names[s->via], s->nodes, plural);
        break;
    case LC_RUN_STAGED:
        fprintf(stderr, "stage      %s by %s on %zu node%s, %s of each\n",
                lc_human_seconds(s->stage_s).s, lc_via_names[s->via], s->nodes, plural,
                lc_human_bytes(s->stage_bytes).s);
        break;
    case LC_RUN_STAGED_BY_RANKS:
        fprintf(stderr, "stage      by the first rank on each node, within the launch line\n");
        break;
    case LC_RUN_NOT_STAGED:
        fprintf(stderr, "stage      not done: the ranks ran without it\n");
        break;
    }
}

static void paths_print(const struct lc_run_statistics *s)
{
    struct lc_buf text = {0};

    if (s->paths > 0)
        fprintf(stderr, "asked of the file system most, over all nodes:\n");
    for (size_t i = 0; i < s->paths; i++) {
        lc_buf_clear(&text);
        lc_buf_escape(&text, s->path[i].path, strlen(s->path[i].path));
        fprintf(stderr, "  %10s  %s\n", lc_human_count(s->path[i].count).s, lc_buf_text(&text));
    }
    lc_buf_free(&text);
}

static void counts_print(const struct lc_run_statistics *s)
{
    if (s->counted == LC_RUN_NO_ANSWER) {
        fprintf(stderr, "saved      not counted: no node answered afterwards\n");
        return;
    }
    /* One answer may replace many questions: Python's import asks once per module, not once per
     * directory. */
    uint64_t saved = s->plain > s->answered + s->passed ? s->plain - s->passed : s->answered;
    fprintf(stderr, "saved      %s operations in %s processes; %s of files opened in node memory\n",
            lc_human_count(saved).s, lc_human_count(s->processes).s,
            lc_human_bytes(s->bytes_opened).s);
    if (s->plain > 0)
        fprintf(stderr, "asked      %s of about %s operations that plain ranks would have asked\n",
                lc_human_count(s->passed).s, lc_human_count(s->plain).s);
    fprintf(stderr, "passed     %s operations through\n", lc_human_count(s->passed).s);
    if (s->other_job[0])
        fprintf(stderr, "shared     with job %s: what it did meanwhile is counted in\n",
                s->other_job);
    paths_print(s);
}

void lc_run_statistics_print(const struct lc_run_statistics *s)
{
    if (s->has_checked)
        fprintf(stderr, "check      %s, %s entries\n", lc_human_seconds(s->check_s).s,
                lc_human_count(s->entries).s);
    else
        fprintf(stderr, "check      done by an earlier run of this job\n");
    stage_print(s);
    fprintf(stderr, "start      %s for the launch line\n", lc_human_seconds(s->launch_s).s);
    if (s->counted != LC_RUN_NOT_ASKED)
        fprintf(stderr, "end        %s to count and clean\n", lc_human_seconds(s->end_s).s);
    fprintf(stderr, "total      %s\n", lc_human_seconds(s->total_s).s);
    if (s->counted != LC_RUN_NOT_ASKED)
        counts_print(s);
    else if (s->staged == LC_RUN_STAGED_BY_RANKS)
        fprintf(stderr, "saved      not counted: nobody knows the nodes afterwards\n");
}
