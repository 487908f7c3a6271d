/* SPDX-License-Identifier: MIT */
/* env.h - relocatable Python environments; scripts/make_env.py does the work */
#ifndef LC_BENCH_ENV_H
#define LC_BENCH_ENV_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "util/error.h"

struct lc_env_facts {
    char python[PATH_MAX]; /* the interpreter that it was built from */
    char version[32];
    long files;
};

/* Find an interpreter: 'wish', else /usr/bin/python3, else the first python3 in PATH. 0, or -1 with
 * err filled. */
int lc_env_python(const char *wish, char *out, size_t size, struct lc_error *err);

/* Build an environment in 'dir' (absent or empty; made atomically) from the interpreter 'python'
 * (NULL: as lc_env_python()), with packages and what they import. 0, or -1 with err filled. */
int lc_env_make(const char *dir, const char *python, char *const *packages, size_t count,
                struct lc_error *err);

/* The path of the environment for these packages below 'work'; built if it is not there or the
 * interpreter changed. */
int lc_env_cached(const char *work, const char *python, char *const *packages, size_t count,
                  bool with_mpi, char *out, size_t size, struct lc_error *err);

/* Read the description of an environment. 0, or -1 with err filled: not made by us. */
int lc_env_facts(const char *dir, struct lc_env_facts *facts, struct lc_error *err);

#endif
