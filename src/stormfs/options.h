/* SPDX-License-Identifier: MIT */
/* options.h - stormfs's command line */
#ifndef LC_STORMFS_OPTIONS_H
#define LC_STORMFS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "stormfs/profiles.h"
#include "stormfs/server.h"
#include "util/cli.h"

enum { LC_MOST_MOUNTS = 64 }; /* per process: see lc_inode_cache_is_valid */

struct lc_options {
    struct lc_profile profile; /* as named, then changed by options */
    long scale;
    const char *once;   /* programs that a job runs once, separated by commas; NULL: none */
    double halved_at;   /* readers at once that halve the bandwidth; 0: they do not */
    const char *server; /* NULL: a private one */
    bool rw, foreground;
    long until_pid; /* 0: no such process */
    long threads;   /* per mount, at most */
    const char *source;
    char **mount;
    size_t mounts;
};

/* Fill 'o' from the command line. 0; LC_CLI_DONE after --help; -1 with err filled. The options
 * point into argv. */
int lc_options_parse(struct lc_options *o, int argc, char **argv, struct lc_error *err);

/* The server that the options describe. */
struct lc_server_model lc_options_server_model(const struct lc_options *o);

#endif
