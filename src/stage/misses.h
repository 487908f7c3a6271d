/* SPDX-License-Identifier: MIT */
/* misses.h - what processes of nodes asked the file system for although an image was staged: read
 * from the miss log (struct lc_miss_log), and united over nodes */
#ifndef LC_STAGE_MISSES_H
#define LC_STAGE_MISSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/look.h"
#include "node/format.h"
#include "util/map.h"

enum { LC_MISS_NODES = 64 /* whose logs are read at the end of a job */ };

struct lc_misses {
    struct lc_map paths;    /* absolute path -> unsigned: bits 1 << enum lc_miss_kind */
    uint64_t began_wall_ns; /* when the image was staged, on the node where that was first; 0: no
                               log was read */
    uint64_t lost, lost_writes; /* paths that did not fit into a log */
};

/* Is this one of the about LC_MISS_NODES, out of so many nodes, whose logs are read now? Other nodes are
 * chosen at other times, so that in the end all are. */
bool lc_misses_is_sampled(const char *host, uint64_t wall_ns, long nodes);

/* By enum lc_miss_kind: one word for people. */
extern const char *const lc_miss_names[LC_MISS_KINDS];

void lc_misses_free(struct lc_misses *misses);

/* Add one path; paths that are not absolute or too long, and unknown kinds, are left out. 0, or -1
 * with ENOMEM. */
int lc_misses_add(struct lc_misses *misses, const char *path, unsigned kinds);

/* Note when the image was staged on a node, and what its log has lost. */
void lc_misses_add_node(struct lc_misses *misses, uint64_t began_wall_ns, uint64_t lost,
                        uint64_t lost_writes);

/* Add all complete records of a node's log. 'live_len': bytes that are mapped. Other processes may
 * write to it meanwhile: whatever it says, nothing beyond the log is read. Questions for the stat
 * of a directory that 'look' (may be NULL) has on the way to others only are left out: what is
 * asked of it was left to the file system on purpose. 0, or -1 with ENOMEM. */
int lc_misses_read(struct lc_misses *misses, const struct lc_live *live, size_t live_len,
                   const struct lc_look *look);

#endif
