/* SPDX-License-Identifier: MIT */
/* stager.h - the stager: one process per node, brought there with the objects that it stages
 *
 * It reports in lines on standard output, which the launcher carries to the first node:
 *   @loadcast .            still at work
 *   @loadcast ?            all is sent; only the word that the image was checked is waited for
 *   @loadcast % 12 345     12 of 345 bytes are done
 *   @loadcast & 0 ff01     contents that this node lacks: bit map in hexadecimal, from byte 0 on
 *   @loadcast {...}        the report: host, ok, error (unseen: there is no such image) or node,
 *                          files, bytes, seconds, counts */
#ifndef LC_STAGER_H
#define LC_STAGER_H

#include <stdbool.h>
#include <stdint.h>

#include "stage/fill.h"
#include "stage/stage.h"
#include "util/json.h"

#define LC_STAGER_MARK "@loadcast "

struct lc_stager {
    const char *dir; /* the directory for images */
    uint64_t id;
    bool only_libs;            /* stage programs and libraries only */
    double patience_s, most_s; /* as in struct lc_stage_options */
    bool stats, clean, verify;
    long misses; /* report the miss log, if this is one of LC_MISS_NODES that are chosen out of so
                    many nodes; 0: do not */
    bool early;  /* the image is being checked, however long that takes: nothing is published before
                  */
    bool all;    /* with 'clean': also what other jobs may want */
    bool no_job; /* outside a job: the user's directory is removed, too, when it is empty */
    bool janitor; /* a rank: what it stages goes when the last process that uses it has ended */
    bool silent;  /* a rank: another one of this node reports failures */
    bool strict;  /* a rank: without the image it fails */
};

/* One function for each WORD of the command line; they return an exit code. */
int lc_stager_fs(const struct lc_stager *s, const char *image);
int lc_stager_local(const struct lc_stager *s, const char *copy); /* removed afterwards */
/* content_batch.c: stage from a content batch, which is removed; report what this node lacks of one
 */
int lc_stager_batch(const struct lc_stager *s, const char *file);
int lc_stager_need(const struct lc_stager *s, const char *file);
int lc_stager_rank(const struct lc_stager *s, const char *image, char **command);
int lc_stager_receive(const struct lc_stager *s);
/* send.c. With s->early standard input tells when the image was checked: "ID PATH", with a NUL
 * behind it, of the image that is to be published, in most cases the same. */
int lc_stager_send(const struct lc_stager *s, const char *image);
int lc_stager_end(const struct lc_stager *s);

/* janitor.c: start the process that removes the node directory after its last user, unless there is
 * one. It is no child of this process. */
void lc_janitor_start(const struct lc_stager *s, const struct lc_nodedir *node);

/* Print a report: 'more' (taken over; NULL: empty) with the host added. */
void lc_report(json_t *more);
void lc_report_error(const struct lc_error *err);
/* A report of the failure to read an image, "unseen" if there is no such file on this node. */
json_t *lc_report_of_image(const char *image, const struct lc_error *err);
/* After a failure: is there such a file on this node? */
bool lc_stager_sees(const char *image);
void lc_report_staged(const struct lc_nodedir *node, const struct lc_stage_report *did,
                      uint64_t wire);
/* Report that the stager is still at work, at most once a second; with the bytes so far if known.
 */
void lc_report_beat(void);
void lc_report_wait(void);
void lc_report_progress(uint64_t done, uint64_t total);

/* Report a part of the bit map of lacking contents, in hexadecimal, from byte 'at' on. */
void lc_report_need(size_t at, const char *bits);

/* Make the options for lc_stage; 'origin' has room for PATH_MAX bytes. 0, or -1 with err filled. */
int lc_stager_options(const struct lc_stager *s, struct lc_stage_options *how, char *origin,
                      struct lc_error *err);

/* lc_fill_files_by for contents that were sent to this node, with a message if they are damaged. */
int lc_stager_fill_files(struct lc_fill *fill, lc_fill_take *take, void *arg, struct lc_error *err);

/* After a failure: remove what dead stagers left. */
void lc_stager_sweep(const struct lc_stager *s);

/* Catch signals that ask the stager to end; has one come? A rank's program inherits how signals are
 * handled: there, those that are ignored stay so. */
void lc_stager_watch(bool is_rank);
bool lc_stager_is_asked_to_end(void);

/* If one has come: end by it, as without the stager. */
void lc_stager_end_if_asked(void);

#endif
