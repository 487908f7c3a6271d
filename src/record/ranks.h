/* SPDX-License-Identifier: MIT */
/* ranks.h - several ranks record one image: each leaves a part, one of them packs all
 *
 * There are no locks on a parallel file system, only names that appear whole by rename. Parts stand
 * in a directory beside the image, IMAGE.parts-JOB/. The lowest rank whose part is there packs when
 * all parts are there, or when no new one has come for a while: a rank that died costs only its
 * part. While it packs it renews a sign of life; when that stops, the next rank takes over. */
#ifndef LC_RECORD_RANKS_H
#define LC_RECORD_RANKS_H

#include <stdbool.h>
#include <stddef.h>

#include "record/seen.h"
#include "util/error.h"

struct lc_ranks {
    long rank, size;     /* size 1: alone */
    char job[128];       /* tells this job's parts from others' */
    char dir[4096];      /* of the parts */
    double patience_s;   /* for parts that do not come */
    long found, taken;   /* parts: seen and packed */
    struct lc_map parts; /* their files, once united */
};

/* From the launcher's environment (OpenMPI, PMI, PMIx, Slurm, Flux, PALS, jsm). */
void lc_ranks_detect(struct lc_ranks *ranks);

/* Leave this rank's part beside the image. 0, or -1 with err filled. */
int lc_ranks_leave_part(struct lc_ranks *ranks, const char *image, const struct lc_seen *seen,
                        struct lc_error *err);

enum lc_ranks_turn {
    LC_RANKS_DONE, /* somebody has packed: nothing left to do */
    LC_RANKS_PACK, /* it is this rank's turn */
};

/* Wait until this rank must pack, or another has. */
enum lc_ranks_turn lc_ranks_wait(struct lc_ranks *ranks);

/* Unite all parts that are there into 'seen'; damaged ones are passed over. */
int lc_ranks_unite(struct lc_ranks *ranks, struct lc_seen *seen, struct lc_error *err);

/* While packing, now and then: this rank is alive. */
void lc_ranks_alive(const struct lc_ranks *ranks);

/* The image is there: remove the parts that were united. */
void lc_ranks_finish(struct lc_ranks *ranks);

#endif
