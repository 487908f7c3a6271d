/* SPDX-License-Identifier: MIT */
/* place.h - choose the directory of this machine that holds images */
#ifndef LC_STAGE_PLACE_H
#define LC_STAGE_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

enum {
    LC_STAGE_PLACES = 4,
    LC_STAGE_PLACE_LEN = 400, /* of a path, with its NUL; the client's buffers are little longer */
};

/* One directory that may hold images, and what is true of it. */
struct lc_stage_place {
    const char *given;
    bool judged;
    int fd; /* the directory, if nobody else can put another one in its place; else -1 */
    char path[LC_STAGE_PLACE_LEN]; /* without links */
    bool no_exec;                  /* programs and libraries cannot be used from here */
    bool is_memory;
    bool usable; /* else 'why' says why not */
    struct lc_error why;
};

struct lc_stage_places {
    struct lc_stage_place place[LC_STAGE_PLACES];
    int count, at;
    bool must_exec; /* one that is mounted noexec cannot be used */
    bool last;      /* lc_stage_places_next is at those that are mounted noexec */
};

/* List the places to try: 'dir' alone if given, else $LOADCAST_DIR, /dev/shm, $TMPDIR and /tmp,
 * each once. The caller calls lc_stage_places_end. */
void lc_stage_places_begin(struct lc_stage_places *all, const char *dir, bool must_exec);
void lc_stage_places_end(struct lc_stage_places *all);

/* The next place; NULL after the last, then the first again. A place is judged once, when its turn
 * comes: it is usable if it exists, is local and writable, and nobody else can replace it. Places
 * that are mounted noexec come last. */
struct lc_stage_place *lc_stage_places_next(struct lc_stage_places *all);

/* Does a file or directory lie on a disk or in memory of this machine alone? False if it cannot be
 * told. */
bool lc_stage_is_local(const char *path);

/* Is there room for 'bytes' in so many files? 0, or -1 with err filled and errno ENOSPC. */
int lc_stage_place_has_room(const struct lc_stage_place *place, uint64_t bytes, uint64_t files,
                            struct lc_error *err);

#endif
