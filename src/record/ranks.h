/* SPDX-License-Identifier: MIT */
/* ranks.h - several ranks record one image: each writes a part, one of them packs all parts
 *
 * Locks are not reliable on a parallel file system, so only atomic rename is used. The parts are in
 * a directory beside the image, IMAGE.parts-JOB/. The lowest rank that has written its part becomes
 * the packer when all parts are there, or when no new part has appeared for a while: a rank that
 * died costs only its own part. The packer updates a heartbeat file; if that stops, the next rank
 * takes over. */
#ifndef LC_RECORD_RANKS_H
#define LC_RECORD_RANKS_H

#include <stdbool.h>
#include <stddef.h>

#include "record/seen.h"
#include "util/error.h"

/* The job name of what a watcher has seen and not yet packed (cmd/watched_rank.c). */
#define LC_RANKS_UNFINISHED "unfinished"

struct lc_ranks {
    long rank, size;     /* size 1: alone */
    char job[128];       /* job name, to keep the parts of different jobs apart */
    char dir[4096];      /* of the parts */
    double patience_s;   /* how long to wait for missing parts */
    long found, taken;   /* numbers of parts: present, and packed */
    struct lc_map parts; /* files of the parts that were merged */
};

/* Set rank, size and job from the launcher's environment (Open MPI, PMI, PMIx, Slurm, Flux, PALS,
 * jsm). */
void lc_ranks_detect(struct lc_ranks *ranks);

/* Write this rank's part beside the image. 0, or -1 with err filled. */
int lc_ranks_leave_part(struct lc_ranks *ranks, const char *image, const struct lc_seen *seen,
                        struct lc_error *err);

/* Are there parts beside the image, left by an earlier job of this name? */
bool lc_ranks_has_parts(struct lc_ranks *ranks, const char *image);

enum lc_ranks_turn {
    LC_RANKS_DONE, /* another rank has packed: nothing left to do */
    LC_RANKS_PACK, /* this rank must pack */
};

/* Wait until this rank must pack, or another has. */
enum lc_ranks_turn lc_ranks_wait(struct lc_ranks *ranks);

/* Merge all parts that are there into 'seen' (NULL: only note which there are, for
 * lc_ranks_finish); damaged parts are skipped. */
int lc_ranks_unite(struct lc_ranks *ranks, struct lc_seen *seen, struct lc_error *err);

/* Call regularly while packing: updates the heartbeat file. */
void lc_ranks_heartbeat(const struct lc_ranks *ranks);

/* The image is written: remove the parts that were merged. */
void lc_ranks_finish(struct lc_ranks *ranks);

#endif
