/* SPDX-License-Identifier: MIT */
/* suspect.h - a program that died while it loaded: which part of the client is off in its next runs
 *
 * One fact of the store (store/facts.h) for each program and version of Loadcast. The steps, each
 * taken at the end of a run:
 *
 *   died, and a part was seen at fault    the next run does without that part
 *   died, no part was seen                ... without symbol bindings, which cost the shared disk
 *                                         nothing; if none were replayed, without the auditor
 *   died again                            without bindings, then without the auditor, then without
 *                                         Loadcast, each as far as not tried yet
 *   lived so                              what was off stays off
 *   died without Loadcast                 it is the program's own fault, and nothing is ever
 *                                         switched off for it again
 *
 * A line without an image has one part only, the recorder in the rank that is watched: if the line
 * died, the next one is not watched. */
#ifndef LC_STORE_SUSPECT_H
#define LC_STORE_SUSPECT_H

#include <stdbool.h>
#include <stdint.h>

#include "store/dir.h"

/* What a run does without. */
enum lc_off {
    LC_OFF_NOTHING,
    LC_OFF_BINDINGS,
    LC_OFF_PYTHON,
    LC_OFF_AUDIT,
    LC_OFF_ALL,
    LC_OFF_WATCHING, /* of lines without an image */
    LC_OFFS,
};

enum lc_suspect_state {
    LC_SUSPECT_NONE,
    LC_SUSPECT_TRYING,    /* the next run does without 'off', and tells */
    LC_SUSPECT_KEPT,      /* all runs do without 'off' */
    LC_SUSPECT_OWN_FAULT, /* the program dies without Loadcast, too */
};

struct lc_suspect {
    enum lc_suspect_state state;
    enum lc_off off;
    enum lc_off seen; /* the part at whose work the first process died; LC_OFF_NOTHING: unknown */
    unsigned tried;   /* bit i: it died without lc_off i */
    int status;       /* by which the line ended first: 128 + signal, 126 or 127 */
    uint64_t stamp;   /* of the line's files, if no part was seen: changed files are another case */
};

/* A run ended: the program died while it loaded, or not. */
void lc_suspect_died(struct lc_suspect *s, enum lc_off seen, bool has_replayed, int status);
void lc_suspect_lived(struct lc_suspect *s);
/* A line without an image died while it was watched. */
void lc_suspect_died_watched(struct lc_suspect *s, int status);

/* Of this version of Loadcast; zeroed if there is none. 'id': of the image, or of its key in the
 * store. */
void lc_suspect_read(uint64_t id, struct lc_suspect *out);
void lc_suspect_read_in(const struct lc_store_dir *dir, uint64_t id, struct lc_suspect *out);
/* If the store cannot be written, nothing happens. */
void lc_suspect_write(uint64_t id, const struct lc_suspect *s);
/* Forget it; true if there was something. */
bool lc_suspect_forget(uint64_t id);
/* Forget all. How many there were. */
unsigned lc_suspect_forget_all(void);

/* The number of a key of the store: LABEL-HASH. */
uint64_t lc_suspect_id_of_key(const char *key);

/* "recorded symbol bindings"... */
const char *lc_off_text(enum lc_off off);

#endif
