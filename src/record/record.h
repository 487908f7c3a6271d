/* SPDX-License-Identifier: MIT */
/* record.h - from what was seen to an image on disk */
#ifndef LC_RECORD_RECORD_H
#define LC_RECORD_RECORD_H

#include <stdbool.h>

#include "image/write.h"
#include "record/check.h"
#include "record/pack.h"
#include "record/seen.h"
#include "util/cli.h"

struct lc_record {
    const char *file; /* the image; added to if it exists */
    const struct lc_strings *manage, *exclude, *add;
    double max_file;
    bool compile;
    bool take_private;    /* credentials, and what only its owner may read */
    char *const *argv;    /* the pilot's command; NULL if there was none */
    char *const *command; /* our own command line, for the provenance */
    json_t *provenance;   /* as it was before the pilot; borrowed */
    void (*alive)(void *arg);
    void (*skipped)(void *arg, const char *path, const char *why);
    void *arg;
};

struct lc_recorded {
    struct lc_packed packed;
    struct lc_written written;
    struct lc_checked checked; /* of the image that was added to */
    bool is_added;
    bool is_empty;           /* nothing managed was seen, nothing written */
    size_t not_added;        /* of 'add', beside a pilot: the image is written without */
    struct lc_error why_not; /* the last of them */
};

/* Pack and write. 0, or -1 with err filled. The caller frees *did with lc_recorded_free. */
int lc_record_image(const struct lc_record *how, struct lc_seen *seen, struct lc_recorded *did,
                    struct lc_error *err);
void lc_recorded_free(struct lc_recorded *did);

#endif
