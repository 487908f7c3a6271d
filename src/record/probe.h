/* SPDX-License-Identifier: MIT */
/* probe.h - compare every entry of a tree with the file system, by many threads */
#ifndef LC_RECORD_PROBE_H
#define LC_RECORD_PROBE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "image/tree.h"
#include "record/difference.h"
#include "trace/mounts.h"

enum lc_probe_state {
    LC_PROBE_SAME,
    LC_PROBE_CHANGED,  /* still there, but not as recorded */
    LC_PROBE_RELISTED, /* directory whose current listing is in 'fresh' */
    LC_PROBE_GONE,     /* no longer there, or cannot be queried */
    LC_PROBE_APPEARED, /* was recorded as absent, is there now */
};

struct lc_probe {
    const char *path;
    struct lc_tree_entry *node;
    enum lc_probe_state state;
    struct stat st;
    struct lc_tree_entry fresh;
    bool names_differ;  /* relisted: the names differ, not only the times */
    unsigned differs;   /* bits of enum lc_difference */
    uint64_t answer_ns; /* the longest of its questions */
    bool is_known;      /* an absence that its directory tells: not asked */
};

struct lc_probing {
    const struct lc_tree *tree;
    struct lc_mounts *mounts;
    struct lc_probe *probe; /* sorted by path */
    size_t count;
    size_t next;    /* index of the next probe for a thread to take */
    bool deep;      /* compare content by hash, and ask for every path */
    bool is_second; /* absences are being asked; everything else was before */
};

/* Fill probe[] with all entries of the tree and probe them, at most 'jobs' at once. 0, or -1 with
 * errno.
 */
int lc_probe_all(struct lc_probing *probing, long jobs);
void lc_probe_free(struct lc_probing *probing);

#endif
