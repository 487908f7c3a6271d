/* SPDX-License-Identifier: MIT */
/* probe.h - ask the file system about every node of a tree, many at once */
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
    LC_PROBE_RELISTED, /* directory: 'fresh' has its listing of now */
    LC_PROBE_GONE,     /* not there, or cannot be asked */
    LC_PROBE_APPEARED, /* was absent */
};

struct lc_probe {
    const char *path;
    struct lc_tree_entry *node;
    enum lc_probe_state state;
    struct stat st;
    struct lc_tree_entry fresh;
    bool names_differ; /* relisted, and not only its times changed */
    unsigned differs;  /* enum lc_difference: why it is not the same */
};

struct lc_probing {
    const struct lc_tree *tree;
    struct lc_mounts *mounts;
    struct lc_probe *probe;
    size_t count;
    size_t next; /* taken by workers */
    bool deep;
};

/* Fill probe[] from all nodes of the tree and ask, 'jobs' at a time. 0, or -1 with errno. */
int lc_probe_all(struct lc_probing *probing, long jobs);
void lc_probe_free(struct lc_probing *probing);

#endif
