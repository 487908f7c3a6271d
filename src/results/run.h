/* SPDX-License-Identifier: MIT */
/* run.h - one measured run, as the results database keeps it
 *
 * Times of phases are nanoseconds per rank; metrics are doubles whose names end in their unit
 * (_s seconds, _bytes) or are plain counts. */
#ifndef LC_RESULTS_RUN_H
#define LC_RESULTS_RUN_H

#include <stddef.h>
#include <stdint.h>

/* A run keeps the status 'started' if the process that measured it died. */
enum lc_run_status {
    LC_RUN_STARTED,
    LC_RUN_DONE,
    LC_RUN_FAILED,
    LC_RUN_TIMEOUT,
    LC_RUN_STOPPED, /* stopped or not started, to protect other users or by stop_above */
};

const char *lc_run_status_name(enum lc_run_status status); /* "started", "done", ... */
int lc_run_status_parse(const char *name);                 /* -1: no such status */

/* What was run. Any string may be NULL, which is kept as "". Bytes that are not UTF-8 are kept as
 * the text \xNN. */
struct lc_run_key {
    const char *suite;  /* name of the suite */
    const char *name;   /* the case: "numpy", "pynamic 900x1250" */
    const char *mode;   /* how it loads: one of gen's modes, "python-import", "command" */
    const char *target; /* name of the target: "scratch", "stormfs lustre" */
    long ranks, nodes;  /* at least 1 */
    const char *with;   /* the arm: "plain", "loadcast", ... */
    const char *cache;  /* "cold", "warm" or "found" (as it was) */
    const char *how;    /* how the cache was made cold: "fresh mount", "drop_caches", "fadvise" */
    long repetition;    /* from 1 */
};

/* Where it was run, and with what. NULL as above; a NULL version is this program's. */
struct lc_run_place {
    const char *host, *cpu, *kernel;
    const char *fs_type, *fs_options; /* of the target */
    const char *launcher, *mpi, *python, *glibc;
    const char *version;    /* Loadcast's */
    const char *job;        /* batch job id */
    const char *suite_text; /* the suite as it was read, or the command line */
};

/* One phase over all ranks: "launch", "start", "import", "visit", "total", or the name a command
 * marked. 'total' runs from the launcher's start until that rank is done; what was checked and
 * staged before the launcher started is not in it, but in the metrics check_s and stage_s. */
struct lc_run_phase {
    const char *name;
    const int64_t *sample_ns; /* one per rank, in the order of ranks; may be NULL when reading */
    size_t ranks;
    int64_t min_ns, median_ns, p95_ns, max_ns; /* writers leave them 0: computed from samples */
};

struct lc_run_metric {
    const char *name;
    double value;
};

/* Names of metrics that reports know. Others are kept and listed too. */
#define LC_METRIC_OPERATIONS     "operations"          /* whole job, check included */
#define LC_METRIC_OPERATIONS_PER "operations_per_rank" /* operations divided by ranks */
#define LC_METRIC_CHECK          "check_s"             /* part of the headline */
#define LC_METRIC_STAGE          "stage_s"             /* image to nodes; part of the headline */
#define LC_METRIC_COPY           "copy_s" /* workload to the target; not part of the headline */
#define LC_METRIC_IMAGE          "image_bytes"  /* the arm's image or archive */
#define LC_METRIC_PREPARE        "prepare_s"    /* making it, once per environment */
#define LC_METRIC_EDIT           "edit_s"       /* bringing it up to date after one edit */
#define LC_METRIC_MEMORY         "memory_bytes" /* of one node, held while the job runs */
#define LC_METRIC_BYSTANDER      "bystander_s"  /* p95 of another user's stat() during the run */
#define LC_METRIC_BYSTANDER_SERVER \
    "bystander_server_s"                             /* the part of it at the server, by stormfs */
#define LC_METRIC_BYSTANDER_IDLE  "bystander_idle_s" /* the same before the run */
#define LC_METRIC_BYSTANDER_ASKED "bystander_asked"  /* calls during the run that this is about */
#define LC_METRIC_CLOCK_OFFSET    "clock_offset_s"   /* largest between nodes; subtracted */
#define LC_METRIC_SERVER_BUSY     "server_busy_s"    /* stormfs: service time used */
#define LC_METRIC_SERVER_BUSY_ALL \
    "server_busy_all_scaled_s"                /* the same if no program were charged once per job */
#define LC_METRIC_CPU_CONTROL "cpu_control_s" /* the same run without any slow disk */
#define LC_METRIC_HARNESS     "harness_s"     /* what measuring adds to a phase */

/* A whole run, as it is read. Everything is owned by the reader that hands it out. */
struct lc_run {
    long id;      /* in this database */
    char uid[33]; /* the same in every database it is merged into */
    enum lc_run_status status;
    struct lc_run_key key;
    struct lc_run_place place;
    int64_t started_ns, ended_ns; /* wall clock; ended 0 while started */
    double total_s;     /* headline: worst rank's total + check_s + stage_s; NAN if not done */
    const char *reason; /* why it failed or was stopped */
    const char *errors; /* last lines of standard error */
    struct lc_run_phase *phase;
    size_t phases;
    struct lc_run_metric *metric;
    size_t metrics;
};

/* NULL, or NAN, if the run has none of that name. */
const struct lc_run_phase *lc_run_phase(const struct lc_run *run, const char *name);
double lc_run_metric(const struct lc_run *run, const char *name);

/* Fill min, median, p95 (nearest rank) and max from the samples. 0, or -1 with errno ENOMEM. */
int lc_run_phase_sum_up(struct lc_run_phase *phase);

#endif
