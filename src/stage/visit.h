/* SPDX-License-Identifier: MIT */
/* visit.h - look at an image in this node's memory after it was staged: counters, content, removal
 */
#ifndef LC_STAGE_VISIT_H
#define LC_STAGE_VISIT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "stage/misses.h"
#include "util/error.h"

struct lc_visit {
    const char *dir; /* the directory for images */
    uint64_t id;     /* of the image */
    bool only_libs;  /* of which only programs and libraries were staged */
    bool stats;      /* read the counters */
    bool verify;     /* compare the files with their hashes */
    bool clean;      /* remove it, unless a process uses it */
    bool all;        /* with 'clean': also what other jobs may want */
    bool no_job;     /* outside a job: the user's directory is removed, too, when it is empty */
    /* Called with {path, count} (taken over) for paths that were asked of the file system; with
     * 'stats' only. */
    void (*path)(void *arg, json_t *path);
    struct lc_misses *misses; /* gets what is in the miss log; NULL: it is not read */
    /* Called now and then while files are compared; may be NULL. */
    void (*beat)(void);
    void *arg;
};

/* Fill the object 'report': ok, error, processes, passed, staging_s, counts, bytes_opened,
 * other_job, verified, died, removed. 0 if the image is (or was) here and intact, else -1. */
int lc_visit_node(const struct lc_visit *visit, json_t *report);

#endif
