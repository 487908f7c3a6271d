/* SPDX-License-Identifier: MIT */
/* learn.h - add to an image what the ranks of a job still asked the file system for, and take it
 * out again
 *
 * What is added is read from the file system now, by the rules of a recording. Learnt are programs
 * and libraries, Python modules, and what stat and listings tell, absences included. Other files
 * are learnt only in a tree of software (rules.h: around programs, libraries and modules that the
 * image holds or the job has loaded), up to LC_LEARN_MOST_BYTES, and never if a rank opened them to
 * write. */
#ifndef LC_RECORD_LEARN_H
#define LC_RECORD_LEARN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"
#include "util/map.h"

enum { LC_LEARN_MOST_BYTES = 1 << 20 };

struct lc_learn {
    const char *file;            /* the image; replaced by rename */
    const struct lc_map *misses; /* path -> unsigned: bits 1 << enum lc_miss_kind */
    uint64_t began_wall_ns;      /* what changed since then is not learnt */
    bool has_lost_writes; /* it is not known of every file whether it was opened to write: then only
                             programs, libraries, modules and what stat tells are learnt */
    char *const *argv;    /* the launch line: directories of its scripts are never complete; may be
                             NULL */
    const char *job;      /* from which this is, for people */
};

struct lc_learnt {
    size_t entries;      /* added, or given content or a listing; 0: the image is as it was */
    uint64_t bytes;      /* of content that was read */
    uint64_t file_bytes; /* the image's new length */
};

/* 0, or -1 with err filled, errno, and the image as it was. One that is read-only by its mode is
 * not changed (EACCES). */
int lc_learn_misses(const struct lc_learn *how, struct lc_learnt *did, struct lc_error *err);

/* Remove what jobs have added at or after a time. 0, or -1 with err filled. */
int lc_learn_forget(const char *file, uint64_t since_wall_ns, struct lc_learnt *did,
                    struct lc_error *err);

#endif
