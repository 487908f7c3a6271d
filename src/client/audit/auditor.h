/* SPDX-License-Identifier: MIT */
/* auditor.h - all that the auditor of a process knows. Freestanding.
 *
 * ld.so holds its lock while it asks, so that one structure is enough. Zero at first; what must be
 * otherwise is set by lc_serve_begin. */
#ifndef LC_AUDIT_AUDITOR_H
#define LC_AUDIT_AUDITOR_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

#include "client/audit/absent.h"
#include "client/audit/dtv.h"
#include "client/audit/measure.h"
#include "client/audit/order.h"
#include "client/audit/same_file.h"
#include "node/attach.h"
#include "node/ld_cache.h"
#include "node/loaded_objects.h"
#include "node/search_key.h"

/* The first object of a dlopen: see audit.c. */
struct lc_first_object {
    const struct link_map *map;
    uint32_t entry;
};

struct lc_auditor {
    bool is_idle;
    bool is_uncovered; /* only names below NODE/files are given their originals */
    struct lc_dtv dtv;
    struct lc_measure measure;
    /* The question under way: */
    bool is_bare;    /* it is for a name without a slash */
    bool has_full;   /* 'full' holds it */
    uintptr_t asker; /* who asks */
    int absent_for;  /* why nothing is where it was last said so */
    /* Loaded objects: */
    const struct link_map *newest; /* or one before it */
    struct lc_first_object first;
    /* The node directory and this process: */
    struct lc_node node;
    uint32_t search_key;           /* the image's key that equals 'now', or LC_NONE */
    bool has_search_key;           /* it was looked for */
    bool knows_search;             /* what decides where this ld.so searches */
    bool has_preload;              /* ours was loaded */
    bool is_alone;                 /* no preload is wanted: only ld.so is answered */
    bool has_ld_cache;             /* it has been read */
    uint32_t program_entry;        /* the entry it was staged from, or LC_NONE */
    struct lc_dlopen_notes *notes; /* the preload's, if it is of this version; else NULL */
    struct lc_ld_cache ld_cache;
    bool is_key_read;  /* 'now' is certain */
    struct lc_key now; /* what holds in this process; its longest texts are last */
    struct lc_objects objects;
    struct lc_same_file same_file;
    /* The answers: */
    char found_path[LC_PATH_MAX + LC_NODE_LEN]; /* the last staged copy */
    char spelling[LC_PATH_MAX]; /* of found_path, as it was asked for; empty: its own tail */
    struct lc_walk walk;
    struct lc_order search;
    struct lc_order_memory order_memory;
    struct lc_absent absent;
    char full[LC_PATH_MAX];     /* a relative path of the question under way, from the root */
    char expanded[LC_PATH_MAX]; /* a name with $ORIGIN as a path */
};

#endif
