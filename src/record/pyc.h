/* SPDX-License-Identifier: MIT */
/* pyc.h - Python bytecode files (.pyc), checked and compiled by the interpreter that will load them
 */
#ifndef LC_RECORD_PYC_H
#define LC_RECORD_PYC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/buf.h"
#include "util/embedded.h"
#include "util/error.h"

extern const struct lc_embedded lc_record_scripts[]; /* compile_modules.py */

/* One .pyc file to check or compile. */
struct lc_pyc {
    char *target; /* .../__pycache__/NAME.TAG[.opt-N].pyc */
    char *source; /* .../NAME.py */
    int optimize; /* 0, 1, 2 */
    bool exists;  /* the target is there, and may be up to date */
    bool is_used; /* the pilot read it, and not the source: it took it for good */
    uint32_t source_mtime, source_bytes;                    /* as a header states them */
    enum { LC_PYC_FAILED, LC_PYC_GOOD, LC_PYC_MADE } state; /* set by lc_pyc_compile() */
    struct lc_buf bytes;                                    /* LC_PYC_MADE: the bytecode */
};

struct lc_pyc_list {
    struct lc_pyc *item;
    size_t count;
};

/* What an interpreter reports about itself. */
struct lc_python {
    char version[32];
    char cache_tag[64];
};

/* Is 'path' a .pyc in a __pycache__? Then fill source (room of LC_PATH_MAX bytes), the tag and the
 * optimisation level. */
bool lc_pyc_parse(const char *path, char *source, size_t room, char *tag, size_t tag_room,
                  int *optimize);

int lc_pyc_add(struct lc_pyc_list *list, const char *target, const char *source, int optimize,
               bool exists); /* -1 with ENOMEM */
void lc_pyc_free(struct lc_pyc_list *list);

/* pyc_header.c: set the state of files that need no interpreter to be found good, of one cache tag.
 * Their header has the time and size of the source as it is, and the magic number of a file that
 * the pilot's own interpreter took for good. Returns how many others are left. */
size_t lc_pyc_check_headers(struct lc_pyc_list *list);

/* Let the interpreter check and compile, in one run, each item of the list whose state is not
 * LC_PYC_GOOD. No file is written. 0 with *who filled and each state set, or -1 with err filled if
 * it cannot be run or its cache tag is not 'tag'. */
int lc_pyc_compile(const char *executable, const char *tag, struct lc_pyc_list *list,
                   struct lc_python *who, struct lc_error *err);

#endif
