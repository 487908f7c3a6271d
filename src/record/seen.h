/* SPDX-License-Identifier: MIT */
/* seen.h - the paths that a program was seen to use, and how: the input of an image
 *
 * Filled from a live trace, from a trace log, or by single calls. When several ranks record
 * together, each saves its own as a part file, and one rank loads and merges them. */
#ifndef LC_RECORD_SEEN_H
#define LC_RECORD_SEEN_H

#include <stdint.h>

#include "image/tree.h"
#include "trace/trace.h"
#include "util/error.h"
#include "util/map.h"

enum lc_use {
    LC_USE_STAT = 1,      /* looked up, and it was there */
    LC_USE_READ = 2,      /* opened or read */
    LC_USE_MAP = 4,       /* mapped: a library, mostly */
    LC_USE_LIST = 8,      /* listed */
    LC_USE_EXEC = 16,     /* executed */
    LC_USE_ABSENT = 32,   /* looked up, and it was not there */
    LC_USE_WRITE = 64,    /* written, made, removed or changed */
    LC_USE_RENAMES = 128, /* directory: a name in it was made or removed */
    LC_USE_CHDIR = 256,   /* working directory of a process */
    LC_USE_ASKED = 512,   /* named by --add */
    LC_USE_XATTR = 1024,  /* extended attributes were queried, and it had none */
};

struct lc_seen_path {
    unsigned uses;
    uint64_t calls; /* that ask a metadata server */
};

struct lc_seen {
    struct lc_map paths;   /* absolute, as the program named them -> struct lc_seen_path */
    struct lc_tree search; /* library searches of ld.so: only its keys and searches are used */
    uint64_t start_ns;     /* wall clock: what changed later was written during the pilot */
    uint64_t events;
    uint64_t programs;  /* that were executed */
    uint64_t newest_ns; /* lc_clock_ns() of the last event that named a path for the first time */
    uint32_t tls_bytes; /* see lc_seen_add_tls */
    struct lc_buf bindings; /* a bindings section, or empty */
    const char *ours[7]; /* Loadcast's own files and directories, which the program did not ask for;
                            entries may be NULL */
    int failed;          /* memory ran out: paths are missing */
};

void lc_seen_free(struct lc_seen *seen);
int lc_seen_add(struct lc_seen *seen, const char *path, unsigned uses); /* -1 with ENOMEM */

/* Record the static TLS size of a program's libraries. The maximum is kept; sizes above
 * LC_FIT_MOST_FOR_OTHERS, for which room cannot be reserved in other programs, are ignored. */
void lc_seen_add_tls(struct lc_seen *seen, uint64_t bytes);

/* Add a call of the traced program; an lc_trace_fn with a struct lc_seen as 'arg'. */
void lc_seen_event(void *seen, const struct lc_trace_event *event);

/* Add all calls of a log of 'loadcast trace --log'. 0, or -1 with err filled. */
int lc_seen_read_log(struct lc_seen *seen, const char *file, struct lc_error *err);

/* Add the library searches that the audit object logged (src/client/audit/record.c). Malformed
 * lines are skipped. 0, or -1 with errno. */
int lc_seen_read_searches(struct lc_seen *seen, const char *file);

#define LC_SEEN_BINDINGS ".bindings" /* suffix of the file with a part's bindings */

/* Save as a part file, atomically; load a part file and merge it. 0, or -1 with err filled. */
int lc_seen_save(const struct lc_seen *seen, const char *file, struct lc_error *err);
int lc_seen_load(struct lc_seen *seen, const char *file, struct lc_error *err);

#endif
