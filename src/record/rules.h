/* SPDX-License-Identifier: MIT */
/* rules.h - what is managed: which of the things that were seen belong into an image */
#ifndef LC_RECORD_RULES_H
#define LC_RECORD_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/mounts.h"
#include "util/cli.h"
#include "util/map.h"

/* Paths are absolute and without links. */
struct lc_rules {
    const struct lc_strings *manage;  /* prefixes, as given */
    const struct lc_strings *exclude; /* shell patterns; "*" crosses "/" */
    struct lc_mounts *mounts;
    struct lc_map prefixes; /* --manage, links resolved, and as given */
    struct lc_map roots;    /* trees that hold programs, libraries and modules */
    struct lc_map work;     /* working directories: their data is not ours */
    struct lc_map busy;     /* directories that change by our own doing: the image's */
    struct lc_map scripts;  /* sys.path[0]: never complete */
    struct lc_map secrets;  /* what credentials lead to that are links */
    char home[4096];
    char cache[4096];  /* ~/.cache */
    bool take_private; /* --private: credentials, and what only its owner may read */
    uint64_t max_file; /* bytes; libraries always */
};

/* Resolve --manage and learn home and working directory. 0, or -1 with err filled. */
int lc_rules_begin(struct lc_rules *rules, struct lc_error *err);
void lc_rules_end(struct lc_rules *rules);

/* Never asked about, whatever was seen: /proc, /sys, /dev, /run. */
bool lc_rules_is_system(const char *path);

/* Learn that a path was used as a program, a library (or was searched for one) or a Python module:
 * trees around it become roots. 'packages' are directories known to hold __init__.py. */
int lc_rules_learn(struct lc_rules *rules, const char *path, unsigned uses,
                   const struct lc_map *packages);

/* Further working directories (unless they lie in a tree of software) and directories of scripts.
 */
int lc_rules_add_work(struct lc_rules *rules, const char *dir);
int lc_rules_add_script(struct lc_rules *rules, const char *dir);
int lc_rules_add_busy(struct lc_rules *rules, const char *dir);
bool lc_rules_is_changing(const struct lc_rules *rules, const char *dir); /* working, or busy */

/* By --exclude, or in ~/.cache. */
bool lc_rules_is_excluded(const struct lc_rules *rules, const char *path);

/* Is this path on a file system that we look after, and not excluded? */
bool lc_rules_is_shared(const struct lc_rules *rules, const char *path);

/* Programs, libraries and Python modules, and what lies in a tree of software around them; a home
 * directory is none. */
bool lc_rules_is_software(const struct lc_rules *rules, const char *path, unsigned uses);

/* 'name' was seen, and leads to 'path': if it is a credential, so is that, with all below it. */
int lc_rules_learn_secret(struct lc_rules *rules, const char *name, const char *path);

/* A password or key by its place (credentials.h), and not asked for by --private? That there is
 * none may be told. */
bool lc_rules_is_credential(const struct lc_rules *rules, const char *path, unsigned uses);

/* Content that only its owner may read, which is neither software nor asked for? */
bool lc_rules_is_personal(const struct lc_rules *rules, const char *path, unsigned uses,
                          unsigned mode);

/* And is it in a tree of software, or was asked for, and is not a working directory's data? */
bool lc_rules_is_managed(const struct lc_rules *rules, const char *path, unsigned uses);

/* The same, credentials included. */
bool lc_rules_is_wanted(const struct lc_rules *rules, const char *path, unsigned uses);

/* May a name that is not listed there be answered as absent? */
bool lc_rules_may_be_complete(const struct lc_rules *rules, const char *dir);

bool lc_is_library(const char *path); /* by name: libx.so, libx.so.1, x.abi3.so */
bool lc_is_module(const char *path);  /* .py, .pyc */

#endif
