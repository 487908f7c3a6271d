/* SPDX-License-Identifier: MIT */
/* job.h - what one rank of a job asks and computes, from a trace, an image or measured runs */
#ifndef LC_PREDICT_JOB_H
#define LC_PREDICT_JOB_H

#include "trace/summary.h"
#include "util/error.h"

struct lc_job {
    char name[160]; /* for people */
    char note[200]; /* what was not known and is assumed; "" if nothing */
    /* Calls of one rank that a server answers: with a name that exists, with one that does not, and
     * opens. Calls on an open file are not among them. */
    double lookups, misses, opens;
    double files, bytes;               /* different files that a rank opens, and their size */
    double cpu_s;                      /* of one rank, without waiting for the file system */
    double image_bytes, image_entries; /* what Loadcast carries to each node, and checks */
};

/* From the JSON that 'loadcast trace --json' writes. 0, or -1 with err filled, also for a trace of
 * another version. */
int lc_job_from_trace(struct lc_job *job, const char *file, struct lc_error *err);

/* From a trace that was made just now. */
void lc_job_from_summary(struct lc_job *job, const char *name, const struct lc_summary *summary,
                         double wall_s);

/* From an image: each recorded file is opened once, each other path asked for once. */
int lc_job_from_image(struct lc_job *job, const char *file, struct lc_error *err);

/* From the newest plain run in a results database whose requests were counted; the image's size
 * from the newest run with Loadcast of the same case. */
int lc_job_from_results(struct lc_job *job, const char *db, const char *name, struct lc_error *err);

#endif
