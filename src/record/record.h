/* SPDX-License-Identifier: MIT */
/* record.h - write an image from what a program was seen to use */
#ifndef LC_RECORD_RECORD_H
#define LC_RECORD_RECORD_H

#include <stdbool.h>

#include "image/write.h"
#include "record/check.h"
#include "record/pack.h"
#include "record/seen.h"
#include "util/cli.h"

struct lc_record {
    const char *file; /* the image; if it exists, it is extended */
    const struct lc_strings *manage, *exclude, *add;
    double max_file;
    uint64_t fewest_calls; /* a program that asked less is not worth an image */
    bool compile;
    bool take_private;    /* --private: pack credentials and files that only their owner may read */
    char *const *argv;    /* the pilot's command; NULL if there was none */
    char *const *command; /* our own command line, for the provenance */
    json_t *provenance;   /* collected before the pilot ran; borrowed */
    void (*alive)(void *arg); /* called regularly while writing; may be NULL */
    void (*skipped)(void *arg, const char *path, const char *why); /* a file could not be read */
    void *arg;
};

struct lc_recorded {
    struct lc_packed packed;
    struct lc_written written;
    struct lc_checked checked; /* result of checking the image that was extended */
    bool is_added;             /* an existing image was extended */
    bool is_empty;             /* too little that is managed was seen: no image was written */
    size_t not_added; /* patterns of 'add' that failed; with a pilot the image is written anyway */
    struct lc_error why_not; /* reason of the last failure */
};

/* Pack and write. 0, or -1 with err filled. The caller frees *did with lc_recorded_free. */
int lc_record_image(const struct lc_record *how, struct lc_seen *seen, struct lc_recorded *did,
                    struct lc_error *err);
void lc_recorded_free(struct lc_recorded *did);

#endif
