/* SPDX-License-Identifier: MIT */
/* tools.h - find the compiler, MPI and Python of this system, and test each by a trial program */
#ifndef LC_GEN_TOOLS_H
#define LC_GEN_TOOLS_H

#include <stdbool.h>

#include "util/run.h"

struct lc_tools {
    char *cc;                  /* owned, like all of these */
    char *mpicc;               /* NULL: no usable MPI, see no_mpi */
    char *python;              /* the interpreter asked for its libpython; NULL: none found */
    char *include;             /* -i */
    struct lc_argv py_compile; /* -I... ; empty: no usable libpython, see no_python */
    struct lc_argv py_link;    /* -L... -lpython3.x ... */
    bool py_static;            /* libpython is an archive: executables must export it */
    struct lc_error no_mpi, no_python;
};

/* The user's options; NULL where not given. */
struct lc_tools_wish {
    const char *cc, *mpicc, *python, *include;
    const char *triplet;                    /* another machine's cross tools; NULL: this one's */
    bool needs_cc, needs_mpi, needs_python; /* if false, not searched for */
};

/* Find them; 'scratch' is a directory for trial programs. Without MPI or libpython this succeeds
 * and says why they are unusable; without a compiler it fails. 0, or -1 with err filled. */
int lc_tools_open(struct lc_tools *tools, const struct lc_tools_wish *wish, const char *scratch,
                  struct lc_error *err);
void lc_tools_close(struct lc_tools *tools);

#endif
