/* SPDX-License-Identifier: MIT */
/* node_reports.h - lines that stagers print (stage/stager/stager.h), collected on the first node */
#ifndef LC_LAUNCH_NODE_REPORTS_H
#define LC_LAUNCH_NODE_REPORTS_H

#include "launch/stage_nodes.h"

/* What the lines of one step led to. All pointers are borrowed. */
struct lc_node_reports {
    const struct lc_job_staging *staging;
    json_t *nodes;            /* one report per host: its first */
    json_t **sender;          /* gets the report of the process that sends, if it fails; or NULL */
    json_t *passed;           /* paths that were passed through, with their counts; or NULL */
    struct lc_misses *misses; /* gets the nodes' miss logs; or NULL */
    json_t *sampled;          /* hosts whose miss log is taken, as keys; or NULL */
    json_t *heard;            /* hosts that have said anything, as keys; or NULL */
    struct lc_buf *said;      /* what the launcher writes to standard error; or NULL */
    size_t expected;          /* reports, as stage-mpi announced; 0: unknown */
    bool together;            /* MPI: if one node cannot take part, none can */
    bool holds;               /* some node has images of this user's */
    bool awaits_verdict;      /* what came last: nodes wait to hear that the image was checked */
    uint8_t *need;            /* bit map of contents that any node lacks; or NULL */
    size_t need_len;          /* of it, in bytes */
    int signal;               /* that ended the step; else 0 */
};

/* The 'take' of a struct lc_step. Lines that are not a stager's become LC_MESSAGE_OUTPUT. True when
 * all expected reports are there, or one says that the others will not come. */
bool lc_node_reports_take(void *reports, char *line);
/* The 'is_idle' of a struct lc_step: nodes that only wait for the verdict. */
bool lc_node_reports_is_idle(const char *line);

/* staging_report.c: does a report have this key with this value? False if it lacks the key. */
bool lc_node_report_says(const json_t *report, const char *key, bool value);

/* The first node that says so, or NULL. Keys: "ok"; "boot" false, what was sent there could not be
 * started; "crashed", it died by a signal, with "fault" by one of its own making; "lacks", it was
 * sent only what it lacked, and what it held is damaged or gone. */
json_t *lc_staging_report_find(const struct lc_staging_report *report, const char *key, bool value);

/* Set ok, failed, fresh, bytes and wire from the nodes' reports. */
void lc_staging_report_sum(struct lc_staging_report *report);

/* Set 'node' and 'differs' from the nodes' reports. */
void lc_staging_report_name_node(struct lc_staging_report *report);

#endif
