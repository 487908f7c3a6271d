/* SPDX-License-Identifier: MIT */
/* stage_nodes.h - an image onto every node of a job, and what is there afterwards */
#ifndef LC_LAUNCH_CAST_H
#define LC_LAUNCH_CAST_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "launch/launch_line.h"
#include "util/buf.h"
#include "util/error.h"

enum lc_via { LC_VIA_AUTO, LC_VIA_MPI, LC_VIA_SBCAST, LC_VIA_FS };

enum { LC_CAST_PATH = 512 };

struct lc_cast {
    const char *image; /* the file that is true today */
    uint64_t id;
    const struct lc_line *line; /* whose nodes; NULL: those of the allocation, or this machine */
    const char *with;           /* words that start one process per node; NULL: found out */
    enum lc_via via;
    const char *dir;    /* DIR: the same on all nodes */
    const char *origin; /* where the kit and stage-mpi are */
    const char *helper; /* the stage-mpi to use; NULL: found there */
    double patience_s;
    bool plain_shell; /* nodes may not have the loader of this machine (kit.h) */
    void (*progress)(uint64_t done, uint64_t total); /* bytes so far; may be NULL */
};

/* What the nodes said. */
struct lc_cast_report {
    enum lc_via via;
    json_t *nodes;  /* array of their reports */
    json_t *passed; /* lc_cast_end with stats: {path, count} per node and path */
    size_t ok, failed, fresh;
    uint64_t bytes, wire; /* most that one node took, and got */
    double seconds;
    char node[LC_CAST_PATH]; /* the node directory, the same on all unless 'differs' */
    bool differs;            /* somebody had taken the usual name on some of them */
    int signal;              /* that ended it; else 0 */
    bool plain_shell;        /* only a plain shell did on all nodes, or not even that */
    bool odd;                /* the launcher says that something of the last step failed */
    struct lc_buf said;      /* what launchers said on standard error while it was staged */
    bool quotes;             /* 'said' is kept */
    bool whole;              /* sbcast: the difference did not do, all of it was sent */
};

/* Put the image onto every node. 0 if at least one has it; -1 with err filled: none has, errno
 * EINTR if a signal came. The caller frees the report. */
int lc_cast_stage(const struct lc_cast *cast, struct lc_cast_report *report, struct lc_error *err);
void lc_cast_report_free(struct lc_cast_report *report);

/* On every node, in DIR of 'cast': counters, a comparison with the hashes, removal. Nodes without
 * it are no failure unless all are. */
int lc_cast_end(const struct lc_cast *cast, bool stats, bool verify, bool clean,
                struct lc_cast_report *report, struct lc_error *err);

const char *lc_via_name(enum lc_via via);

/* DIR/loadcast-UID/ID: where it stands on a node whose names nobody has taken. */
void lc_cast_node(char out[LC_CAST_PATH], const char *dir, uint64_t id);

#endif
