/* SPDX-License-Identifier: MIT */
/* place.h - which directory of this machine shall hold images? */
#ifndef LC_STAGE_PLACE_H
#define LC_STAGE_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

enum {
    LC_PLACES = 4,
    LC_PLACE_LEN = 400, /* of a path, with its NUL: what the client can hold is not much longer */
};

/* One directory that may hold images, and what is true of it. */
struct lc_place {
    char path[LC_PLACE_LEN]; /* without links */
    bool no_exec;            /* programs and libraries cannot be used from here */
    bool is_memory;
    bool usable; /* else 'why' */
    struct lc_error why;
};

/* The places in the order they are tried: 'dir' alone if given, else $LOADCAST_DIR, /dev/shm,
 * $TMPDIR, /tmp, each once. Usable: there, local, writable, and nobody else can put something in
 * its place. Those mounted noexec come last. Returns how many. */
int lc_place_list(struct lc_place place[LC_PLACES], const char *dir);

/* Not usable if it is mounted noexec. */
void lc_place_must_exec(struct lc_place *place);

/* Is there room for 'bytes' in so many files? 0, or -1 with err filled and errno ENOSPC. */
int lc_place_has_room(const struct lc_place *place, uint64_t bytes, uint64_t files,
                      struct lc_error *err);

/* "loadcast-1000": where this user's images stand in a place. */
void lc_place_user_dir(char *out, size_t size);

#endif
