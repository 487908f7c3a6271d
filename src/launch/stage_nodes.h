/* SPDX-License-Identifier: MIT */
/* stage_nodes.h - put an image into the memory of every node of a job, and look at it afterwards */
#ifndef LC_LAUNCH_STAGE_NODES_H
#define LC_LAUNCH_STAGE_NODES_H

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "launch/launch_line.h"
#include "launch/messages.h"
#include "launch/step_environment.h"
#include "stage/misses.h"
#include "util/buf.h"
#include "util/error.h"

/* How the image travels. */
enum lc_via {
    LC_VIA_AUTO,
    LC_VIA_MPI,
    LC_VIA_SBCAST,
    LC_VIA_FS,    /* each node reads it from the shared file system */
    LC_VIA_RANKS, /* the same, by the first rank of the launch line on each */
};
extern const char *const lc_via_names[]; /* by enum lc_via; ends with NULL */

enum { LC_STAGING_PATH = 512, LC_STAGING_WAIT_S = 10 };

struct lc_early_step; /* mpi_step.h */

/* What is to be staged, where and how. All text is borrowed. */
struct lc_job_staging {
    const char *image;                 /* the file as it was checked */
    uint64_t id;                       /* of the image */
    bool only_libs;                    /* its programs and libraries only */
    const struct lc_launch_line *line; /* whose nodes; NULL: the allocation's, or this machine */
    bool cleans_all;                   /* lc_nodes_visit also removes what other jobs may want */
    size_t miss_nodes; /* lc_nodes_visit also reads the miss logs, of at most LC_MISS_NODES of so
                          many nodes; 0: it does not */
    bool here;         /* this machine alone: this process does what a stager would */
    const char *with;  /* words that start one process per node; NULL: made from the line */
    enum lc_via via;
    const char *dir;    /* the directory for images, the same on all nodes */
    const char *origin; /* where node-kit.tgz and stage-mpi lie */
    const char *helper; /* the stage-mpi to use; NULL: the one in 'origin' */
    double patience_s;  /* a step that says nothing for so long is ended */
    bool plain_shell;   /* nodes may lack the loader of this machine (node_package.h) */
    struct lc_step_environment *clean; /* for our steps; NULL: the user's own environment */
    struct lc_early_step *early;       /* a step that was begun before the check; NULL: none */
    struct lc_messages messages;
    /* Bytes so far, with messages.arg; total is 0 when one attempt is over. May be NULL. */
    void (*progress)(void *arg, uint64_t done, uint64_t total);
};

/* What came of it. Zeroed at first. */
struct lc_staging_report {
    enum lc_via via;
    json_t *nodes;            /* array of the nodes' reports (stage/stager/stager.h) */
    json_t *sender;           /* by MPI: of the process that sends, if it failed; else NULL */
    json_t *passed;           /* lc_nodes_visit with stats: {path, count} per node and path */
    struct lc_misses misses;  /* lc_nodes_visit with miss_nodes: the union over nodes */
    size_t ok, failed, fresh; /* nodes: with the image, without it, staged by this call */
    uint64_t bytes, wire;     /* most that one node stores, and was sent */
    double seconds;
    char node[LC_STAGING_PATH]; /* the node directory, the same on all nodes unless 'differs' */
    bool differs;               /* another user had taken the usual name on some nodes */
    int signal;                 /* that interrupted the staging; else 0 */
    bool plain_shell;           /* as of lc_job_staging, after what the steps showed */
    bool odd;                   /* the launcher of the last step reported a failure */
    bool awaits_verdict;        /* the last step did not hear that the image was checked */
    size_t silent;              /* nodes that the last step did not hear of, if known */
    bool keeps_errors;          /* 'said' is filled */
    struct lc_buf said;         /* what launchers wrote to standard error while staging */
    bool whole;                 /* sbcast sent the whole image, not what nodes lacked */
};

/* While staging->image is checked: if it will go by MPI, start the step already. The nodes publish
 * nothing before lc_nodes_stage is called with staging->early. */
void lc_nodes_begin(const struct lc_job_staging *staging, struct lc_early_step *early);

/* Put the image onto every node. 0 if at least one has it; else -1 with err filled, and errno EINTR
 * if a signal came. The caller frees the report. */
int lc_nodes_stage(const struct lc_job_staging *staging, struct lc_staging_report *report,
                   struct lc_error *err);

/* The same; if staging->dir has no room on any node and the user gave no directory ('given' is
 * NULL), LC_STAGING_OTHER_DIR is tried. staging->dir is then where the image is. */
#define LC_STAGING_OTHER_DIR "/tmp"
int lc_nodes_stage_anywhere(struct lc_job_staging *staging, struct lc_staging_report *report,
                            const char *given, struct lc_error *err);

/* On every node, in staging->dir: read the counters, compare the files with their hashes, remove
 * the image. 0 if any node has it, also if others have not; else -1 with err filled. */
int lc_nodes_visit(const struct lc_job_staging *staging, bool stats, bool verify, bool clean,
                   struct lc_staging_report *report, struct lc_error *err);

/* stage_here.c: the same for this machine alone, in this process, which is registered as a user
 * until lc_here_leave. */
int lc_here_stage(const struct lc_job_staging *staging, struct lc_staging_report *report,
                  struct lc_error *err);
void lc_here_leave(const struct lc_job_staging *staging);
int lc_here_visit(const struct lc_job_staging *staging, bool stats, bool verify, bool clean,
                  struct lc_staging_report *report, struct lc_error *err);

/* The directory for images: 'given', else $LOADCAST_DIR, else the site's, else /dev/shm; absolute.
 * 0, or -1 with err filled. */
int lc_staging_name_dir(const char *given, char out[PATH_MAX], struct lc_error *err);

/* DIR/loadcast-UID/ID: the node directory, unless another user has taken that name. */
void lc_staging_node_path(char out[LC_STAGING_PATH], const struct lc_job_staging *staging);

/* staging_report.c: one message on what was done; one for each node that lacks the image; what
 * launchers wrote to standard error. */
void lc_staging_tell_summary(const struct lc_staging_report *report,
                             const struct lc_messages *messages);
void lc_staging_tell_failed(const struct lc_staging_report *report,
                            const struct lc_messages *messages);
void lc_staging_tell_said(const struct lc_staging_report *report,
                          const struct lc_messages *messages);
void lc_staging_report_free(struct lc_staging_report *report);

#endif
