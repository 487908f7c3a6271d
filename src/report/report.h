/* SPDX-License-Identifier: MIT */
/* report.h - statistics of measured runs, for every output format
 *
 * A point is one case, mode, target, width, arm, cold or warm: all its repetitions
 * together. A view is what one diagram shows: the points of one case, mode and cache. */
#ifndef LC_REPORT_REPORT_H
#define LC_REPORT_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "report/stats.h"
#include "results/read.h"
#include "util/buf.h"
#include "util/map.h"

/* The parts of the headline time of a run, in the order they happen: the phases of the slowest
 * rank, check and staging. REST is the time that no phase accounts for. */
enum lc_part {
    LC_PART_CHECK,
    LC_PART_STAGE,
    LC_PART_LAUNCH,
    LC_PART_START,
    LC_PART_IMPORT,
    LC_PART_VISIT,
    LC_PART_REST,
    LC_PARTS,
};

const char *lc_part_name(enum lc_part part);

/* Metrics of which a report shows medians, besides the time. */
enum lc_side {
    LC_SIDE_OPERATIONS,
    LC_SIDE_OPERATIONS_PER,
    LC_SIDE_BYSTANDER,
    LC_SIDE_BYSTANDER_IDLE,
    LC_SIDE_BYSTANDER_SERVER,
    LC_SIDE_COPY,
    LC_SIDE_IMAGE,
    LC_SIDE_SERVER_BUSY,
    LC_SIDE_SERVER_BUSY_ALL,
    LC_SIDE_CPU_CONTROL,
    LC_SIDE_PREPARE,
    LC_SIDE_EDIT,
    LC_SIDE_MEMORY,
    LC_SIDES,
};

const char *lc_side_name(enum lc_side side); /* the metric's name */

struct lc_report_place {
    size_t index;
    struct lc_run_place is; /* without job */
};

struct lc_report_run {
    long id;
    struct lc_report_point *point;
    const struct lc_report_place *place;
    int64_t started_ns;
    double total_s; /* NAN unless done */
    long repetition;
    enum lc_run_status status;
    const char *job, *reason, *errors, *suite;
    bool is_outlier; /* far from the runs before and after it */
    bool is_slower;  /* runs from this one on are slower than before */
};

/* A slow-down that still lasts. */
struct lc_slowdown {
    const struct lc_report_run *since; /* the first slower run; NULL: there is none */
    double before_s, now_s;            /* medians: of the 20 runs before it, of the newest 10 */
    double ratio, p;                   /* now_s / before_s; p of a two-sided rank test */
    size_t runs_before, runs_since;
};

struct lc_report_point {
    size_t index;
    const char *name, *mode, *target, *with, *cache, *how; /* how: of the newest run */
    long ranks, nodes;
    bool is_twin; /* another point differs in its nodes only and has more: diagrams show that one */
    struct lc_report_run **run; /* ordered by time, of any status */
    size_t runs, room;
    size_t failed;           /* how many of the runs have no value */
    struct lc_numbers total; /* sorted */
    double best_s, median_s, worst_s;
    double part_s[LC_PARTS]; /* medians; NAN if never measured */
    double side[LC_SIDES];   /* medians; NAN if never measured */
    struct lc_slowdown slowdown;
    struct lc_numbers ready; /* raw: seconds until each rank was ready, sorted; at most 101 */
    const struct lc_report_place *place; /* of the newest run that is done */
    struct lc_numbers parts[LC_PARTS], sides[LC_SIDES];
};

struct lc_view {
    const char *name, *mode, *cache;
    struct lc_report_point **point; /* by target, with, ranks */
    size_t points;
};

struct lc_report {
    struct lc_map texts; /* all names; equal ones share an entry */
    struct lc_map places, by_key;
    struct lc_report_run *run; /* by id */
    size_t runs, room;
    size_t ended[LC_RUN_STOPPED + 1]; /* runs by status */
    struct lc_report_point **point;   /* sorted */
    size_t points;
    struct lc_view *view;
    size_t views;
    int64_t first_ns, last_ns; /* when runs were started */
};

/* NULL with err filled. */
struct lc_report *lc_report_load(const struct lc_results *results,
                                 const struct lc_run_filter *filter, struct lc_error *err);
void lc_report_free(struct lc_report *report);

/* A series: the points of a view from 'from' on that share target and with; returns their count. */
size_t lc_view_series(const struct lc_view *view, size_t from);

/* The same point with "plain" or "loadcast", cache or mode exchanged; NULL if not measured. */
const struct lc_report_point *lc_report_find(const struct lc_report *report,
                                             const struct lc_report_point *like, const char *mode,
                                             const char *with, const char *cache);

/* Time of another user's stat during a run: on a stormfs what its server took, elsewhere what the
 * call took. A bystander of a stormfs is on the machine of the ranks, which take CPU time from it
 * as they would not take it from another machine. NAN if not measured. */
double lc_point_bystander(const struct lc_report_point *point);

/* "python-import" and "pyMPI" import, "pynamic-pyMPI" is linked, ...: how a mode loads, for people;
 * the mode itself if unknown. */
const char *lc_mode_words(const char *mode);

/* The sentence that opens a report, and the conditions under which it holds. */
struct lc_headline {
    struct lc_buf sentence, conditions;
    const struct lc_report_point *plain,
        *loadcast; /* the points that it compares; NULL: there are none */
    bool is_once;  /* nothing was measured more than once on both sides */
};
void lc_headline_make(const struct lc_report *report, struct lc_headline *headline);
void lc_headline_free(struct lc_headline *headline);

/* The output formats. 0, or -1 with err filled. */
int lc_report_terminal(const struct lc_report *report, FILE *out, struct lc_error *err);
int lc_report_json(const struct lc_report *report, FILE *out, struct lc_error *err);
int lc_report_html(const struct lc_report *report, const char *source, FILE *out,
                   struct lc_error *err);

#endif
