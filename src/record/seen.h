/* SPDX-License-Identifier: MIT */
/* seen.h - what a program was seen to ask: the raw material of an image
 *
 * Filled from a trace as it happens, from a trace log, or by hand; saved as a part when several
 * ranks record together, and united again. */
#ifndef LC_RECORD_SEEN_H
#define LC_RECORD_SEEN_H

#include <stdint.h>

#include "image/tree.h"
#include "trace/trace.h"
#include "util/error.h"
#include "util/map.h"

enum lc_use {
    LC_USE_STAT = 1,      /* asked for, and it was there */
    LC_USE_READ = 2,      /* opened or read */
    LC_USE_MAP = 4,       /* mapped: a library, mostly */
    LC_USE_LIST = 8,      /* listed */
    LC_USE_EXEC = 16,     /* executed */
    LC_USE_ABSENT = 32,   /* asked for, and it was not there */
    LC_USE_WRITE = 64,    /* written, made, removed or changed */
    LC_USE_RENAMES = 128, /* directory: a name in it was made or removed */
    LC_USE_CHDIR = 256,   /* somebody's working directory */
    LC_USE_ASKED = 512,   /* the user asked for it (--add) */
    LC_USE_XATTR = 1024,  /* asked for extended attributes, and it had none */
};

struct lc_seen_path {
    unsigned uses;
};

struct lc_seen {
    struct lc_map paths;   /* absolute, as the program named them -> struct lc_seen_path */
    struct lc_tree search; /* its keys and searches only */
    uint64_t start_ns;     /* wall clock: what changed later was written during the pilot */
    uint64_t events;
    uint64_t newest_ns; /* lc_clock_ns() of the last event that named a path for the first time */
    uint32_t tls_bytes; /* see lc_seen_tls */
    struct lc_buf bindings; /* a bindings section, or empty */
    const char *ours[7]; /* our own files and what is below them, which the program did not ask for;
                            may be NULL */
    int failed;          /* memory ran out: the record is not whole */
};

void lc_seen_free(struct lc_seen *seen);
int lc_seen_add(struct lc_seen *seen, const char *path, unsigned uses); /* -1 with ENOMEM */

/* A program's libraries have so many bytes of thread variables: the most is kept, but for what no
 * other program can be given room for (LC_FIT_MOST_FOR_OTHERS). */
void lc_seen_tls(struct lc_seen *seen, uint64_t bytes);

/* A call of the traced program; an lc_trace_fn with a struct lc_seen as 'arg'. */
void lc_seen_event(void *seen, const struct lc_trace_event *event);

/* A trace log from 'loadcast trace --log'. 0, or -1 with err filled. */
int lc_seen_read_log(struct lc_seen *seen, const char *file, struct lc_error *err);

/* What the audit object wrote in the pilot: see src/client/audit/record.c. Lines that make no sense
 * are passed over. 0, or -1 with errno. */
int lc_seen_read_searches(struct lc_seen *seen, const char *file);

#define LC_SEEN_BINDINGS ".bindings" /* behind a part's name: its bindings */

/* As a part: one file, there whole or not at all. Loading unites with what is there. */
int lc_seen_save(const struct lc_seen *seen, const char *file, struct lc_error *err);
int lc_seen_load(struct lc_seen *seen, const char *file, struct lc_error *err);

#endif
