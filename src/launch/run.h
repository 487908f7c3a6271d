/* SPDX-License-Identifier: MIT */
/* run.h - what 'loadcast run' does: find or record the image, check it, stage it on the nodes,
 * start the launch line, and clean up after it
 *
 * Nothing here prints or ends the process: text goes to options->staging.messages, and the caller
 * does what the outcome says. */
#ifndef LC_LAUNCH_RUN_H
#define LC_LAUNCH_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "launch/stage_nodes.h"
#include "util/cli.h"

/* When does the staged launcher stand before each program of the line? */
enum lc_wrap {
    LC_WRAP_AUTO, /* if the program is in the image, or variables cannot do */
    LC_WRAP_ALWAYS,
    LC_WRAP_NEVER,
};
extern const char *const lc_wrap_names[]; /* by enum lc_wrap; ends with NULL */

struct lc_run_options {
    struct lc_job_staging staging; /* with, via, helper, patience_s, messages, progress; no more */
    const char *dir;               /* the nodes' directory as the user gave it, or NULL */
    const char *image;             /* as given, or NULL: $LOADCAST_IMAGE, else by the program */
    const char *pilot;             /* the launch line of the pilot, or NULL: made from the line */
    double pilot_for_s;            /* the pilot ends after this time */
    struct lc_strings manage;      /* prefixes that the pilot records */
    enum lc_wrap wrap;
    long watch; /* without an image: how many ranks of the line are watched for one */
    /* Become a rank that is watched ("HOW PROGRAM ..."): what "loadcast --watched-rank" does, for a
     * line without a launcher. Returns an exit code if the program cannot be executed. */
    int (*watched_rank)(char **words);
    bool record; /* record the image if there is none */
    bool no_prune;
    bool dry_run;  /* only LC_MESSAGE_STEP: the steps as lines of a job script */
    bool stats;    /* fill lc_run_outcome.statistics */
    bool strict;   /* without a usable image the run fails */
    bool no_learn; /* what ranks still ask is not added to the image in the store */
    bool keep;     /* outside a job: what was staged stays */
    bool quiet;    /* a run inside the line is to be quiet too */
};

/* How the image came to the nodes. */
enum lc_run_staged {
    LC_RUN_NOT_STAGED,
    LC_RUN_STAGED_EARLIER, /* by an earlier run of the same job */
    LC_RUN_STAGED_NOTHING, /* all nodes had it already */
    LC_RUN_STAGED,
    LC_RUN_STAGED_BY_RANKS, /* by the first rank on each node */
};

/* Were the nodes asked for their counters afterwards? */
enum lc_run_counted { LC_RUN_NOT_ASKED, LC_RUN_NO_ANSWER, LC_RUN_COUNTED };

/* A path that the file system was asked for although an image was staged. */
struct lc_run_path {
    char *path; /* owned */
    uint64_t count;
};

enum { LC_RUN_PATHS = 10 };

/* What a run cost and saved. Counters are sums over all nodes, of this launch line alone. */
struct lc_run_statistics {
    bool has_checked; /* else an earlier run of the job had */
    double check_s;
    size_t entries; /* checked */
    enum lc_run_staged staged;
    enum lc_via via;
    double stage_s;
    size_t nodes;         /* that have the image */
    uint64_t stage_bytes; /* that it takes on each */
    double launch_s, end_s, total_s;
    enum lc_run_counted counted; /* else the rest is 0 */
    uint64_t answered, passed;   /* operations: from node memory, by the file system */
    uint64_t processes, bytes_opened;
    uint64_t plain; /* operations that plain processes would have asked, by the recording; 0: the
                       image does not tell */
    char other_job[64];                    /* a job whose processes are counted in; "": none */
    struct lc_run_path path[LC_RUN_PATHS]; /* passed to the file system most often */
    size_t paths;
};

enum lc_run_ending {
    LC_RUN_ENDED,   /* the line ran, or a signal came: this process is to end as 'status' says */
    LC_RUN_PLAINLY, /* the line is to be executed as if Loadcast were not there */
    LC_RUN_PRINTED, /* --dry-run */
    LC_RUN_FAILED,  /* the reason was shown */
};

struct lc_run_outcome {
    enum lc_run_ending end;
    int status; /* as by wait() */
    bool has_statistics;
    struct lc_run_statistics statistics;
};

/* Run the launch line 'argv' (ends with NULL) with an image. The caller frees the outcome. */
void lc_run_job(const struct lc_run_options *options, char **argv, struct lc_run_outcome *outcome);
void lc_run_outcome_free(struct lc_run_outcome *outcome);

/* Wait, for a bounded time, until no process cleans the directory 'dir' of the nodes behind a run
 * of this user's that has returned: it might remove what the caller finds there. */
void lc_cleaning_wait(const char *dir);

/* Remove from this process's environment what an outer 'loadcast run' has put there for its
 * program. */
void lc_nested_leave_outer(void);

/* Is this entry of PATH the directory with our stand-ins for launchers, which an outer run or a
 * module has put there? */
bool lc_nested_is_shims(const char *item);

#endif
