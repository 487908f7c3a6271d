/* SPDX-License-Identifier: MIT */
/* rules.h - which of the paths that were seen are managed, that is, belong into an image */
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
    struct lc_map work;     /* working directories: data in them is not managed */
    struct lc_map busy;     /* directories that Loadcast itself changes: the image's */
    struct lc_map scripts;  /* directories of Python scripts: their listings are never complete */
    struct lc_map secrets;  /* targets of credentials that are symbolic links */
    char home[4096];
    char cache[4096];  /* ~/.cache */
    bool take_private; /* --private: credentials, and what only its owner may read */
    uint64_t max_file; /* bytes; larger files are left out, except libraries */
};

/* Resolve --manage and learn home and working directory. 0, or -1 with err filled. */
int lc_rules_begin(struct lc_rules *rules, struct lc_error *err);
void lc_rules_end(struct lc_rules *rules);

/* Is the path below /proc or /sys, or below /dev or /run and not in a directory there that
 * --manage names? Such
 * paths are never managed. */
bool lc_rules_is_system(const struct lc_rules *rules, const char *path);

/* Learn that a path was used as a program, a library (or was searched for one) or a Python module:
 * trees around it become roots. 'packages' are directories known to hold __init__.py. */
int lc_rules_learn(struct lc_rules *rules, const char *path, unsigned uses,
                   const struct lc_map *packages);

/* Add a working directory (ignored in a software tree), the directory of a Python script, or a
 * directory that Loadcast itself changes. */
int lc_rules_add_work(struct lc_rules *rules, const char *dir);
int lc_rules_add_script(struct lc_rules *rules, const char *dir);
int lc_rules_add_busy(struct lc_rules *rules, const char *dir);
/* The directory of the image changes when the image is written: it must not be recorded. 0, or -1
 * with errno. */
int lc_rules_add_image(struct lc_rules *rules, const char *file);

/* Is it a working directory, or one that Loadcast changes? */
bool lc_rules_is_changing(const struct lc_rules *rules, const char *dir);

/* Does --exclude match, or is the path in ~/.cache? */
bool lc_rules_is_excluded(const struct lc_rules *rules, const char *path);

/* Is this path on a shared file system or below --manage, and not excluded? */
bool lc_rules_is_shared(const struct lc_rules *rules, const char *path);

/* Is it a program, a library or a Python module, or in a software tree around such files? A home
 * directory is not a software tree. */
bool lc_rules_is_software(const struct lc_rules *rules, const char *path, unsigned uses);

/* 'name' was seen and resolves to 'path': if 'name' is a credential, 'path' and everything below it
 * are credentials too. */
int lc_rules_learn_secret(struct lc_rules *rules, const char *name, const char *path);

/* Is it a password or key (credentials.h), without --private? The absence of one may be recorded.
 */
bool lc_rules_is_credential(const struct lc_rules *rules, const char *path, unsigned uses);

/* Is it readable by its owner only, and neither software nor requested by --private or --add? */
bool lc_rules_is_personal(const struct lc_rules *rules, const char *path, unsigned uses,
                          unsigned mode);

/* Does the path belong into the image? It is named by --add; or it is shared, in a software tree or
 * below --manage, and not data in a working directory. Never a credential. */
bool lc_rules_is_managed(const struct lc_rules *rules, const char *path, unsigned uses);

/* As lc_rules_is_managed(), but also true for credentials. */
bool lc_rules_is_wanted(const struct lc_rules *rules, const char *path, unsigned uses);

/* May names that the listing of this directory lacks be answered as absent? */
bool lc_rules_may_be_complete(const struct lc_rules *rules, const char *dir);

bool lc_is_library(const char *path); /* by name: libx.so, libx.so.1, x.abi3.so */
bool lc_is_module(const char *path);  /* .py, .pyc */

/* rules_local.c: is a file system of this type (as in the mount table) private to a node? Unknown
 * types are taken as shared: recording a local one costs little, not recording a shared one costs
 * the metadata storm. */
bool lc_type_is_local(const char *type);

#endif
