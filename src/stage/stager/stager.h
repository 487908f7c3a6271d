/* SPDX-License-Identifier: MIT */
/* stager.h - what runs once on each node: it comes in a kit with the objects it stages
 *
 * It says one line per finding on standard output, which the launcher brings to the first node:
 *   @loadcast .            still at work
 *   @loadcast % 12 345     so many bytes of so many are done
 *   @loadcast & 0 ff01     contents that this node lacks: bits from byte 0 on
 *   @loadcast {...}        the report: host, ok, error or node, files, bytes, seconds, counts */
#ifndef LC_STAGER_H
#define LC_STAGER_H

#include <stdbool.h>
#include <stdint.h>

#include "stage/stage.h"
#include "util/json.h"

#define LC_STAGER_MARK "@loadcast "

struct lc_stager {
    const char *dir; /* where to stage, or to look */
    uint64_t id;
    double patience_s;
    bool stats, clean, verify;
    bool no_job; /* outside a job: the user's directory goes too when nothing is in it */
};

/* One for each word of the command line; an exit code. */
int lc_stager_fs(const struct lc_stager *s, const char *image);
int lc_stager_local(const struct lc_stager *s, const char *copy); /* removed afterwards */
/* parcel.c: what a parcel brought (removed afterwards); what this node lacks of one */
int lc_stager_batch(const struct lc_stager *s, const char *file);
int lc_stager_need(const struct lc_stager *s, const char *file);
int lc_stager_rank(const struct lc_stager *s, const char *image, char **command);
int lc_stager_receive(const struct lc_stager *s);
int lc_stager_send(const struct lc_stager *s, const char *image);
int lc_stager_end(const struct lc_stager *s);

/* The report: 'more' (taken over, may be NULL) with host and ok added. */
void lc_report(json_t *more);
void lc_report_error(const struct lc_error *err);
void lc_report_staged(const struct lc_nodedir *node, const struct lc_stage_report *did,
                      uint64_t wire);
/* "Still at work", at most once a second; with bytes done and in all where that is known. */
void lc_report_beat(void);
void lc_report_progress(uint64_t done, uint64_t total);

/* Bits of what is lacking (stage/parcel.h), in hexadecimal, from byte 'at' of the map on. */
void lc_report_need(size_t at, const char *bits);

/* Options for lc_stage from these; 'origin' holds PATH_MAX bytes. 0, or -1 with err filled. */
int lc_stager_options(const struct lc_stager *s, struct lc_stage_options *how, char *origin,
                      struct lc_error *err);

/* After a failure: what dead stagers left. */
void lc_stager_sweep(const struct lc_stager *s);

/* Has a signal asked for the end? */
void lc_stager_watch(void);
bool lc_stager_is_asked_to_end(void);

#endif
