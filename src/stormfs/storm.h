/* SPDX-License-Identifier: MIT */
/* storm.h - one running stormfs: its model, its server, its mounts */
#ifndef LC_STORMFS_STORM_H
#define LC_STORMFS_STORM_H

#define FUSE_USE_VERSION 35
#include <fuse_lowlevel.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stormfs/counters.h"
#include "stormfs/inodes.h"
#include "stormfs/once.h"
#include "stormfs/options.h"
#include "stormfs/server.h"

struct lc_storm;

/* A client node: one mount point with its own kernel cache and counters. */
struct lc_storm_mount {
    struct lc_storm *storm;
    unsigned index;
    char *path; /* canonical; owned */
    struct fuse_session *session;
    struct lc_counters counters;
    struct lc_histogram server_time; /* of its requests: in the queue, served, on the way */
    _Atomic int threads, idle_threads;
    _Atomic bool is_ready; /* the kernel's INIT was answered */
    _Atomic bool is_gone;  /* unmounted */
};

struct lc_storm {
    const struct lc_options *options;
    struct lc_server server;
    struct lc_once once;
    struct lc_inodes *inodes;
    struct lc_storm_mount *mount;
    size_t mounts;
    uint64_t latency_ns;
    int event_fd;          /* written when a mount became ready or went away */
    _Atomic int answering; /* threads that are writing an answer now */
};

#endif
