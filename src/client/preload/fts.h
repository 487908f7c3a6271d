/* SPDX-License-Identifier: MIT */
/* fts.h - a tree read entry by entry: glibc's structures, and what fts.c and fts_build.c share */
#ifndef LC_PRELOAD_FTS_H
#define LC_PRELOAD_FTS_H

#include "client/preload/tree.h"

enum { /* options */
       LC_FTS_COMFOLLOW = 0x1,
       LC_FTS_LOGICAL = 0x2,
       LC_FTS_NOCHDIR = 0x4,
       LC_FTS_NOSTAT = 0x8,
       LC_FTS_PHYSICAL = 0x10,
       LC_FTS_SEEDOT = 0x20,
       LC_FTS_XDEV = 0x40,
       LC_FTS_OPTIONS = 0xff,
       LC_FTS_NAMEONLY = 0x100, /* the children that are there have been asked for by name only */
       LC_FTS_STOP = 0x200,     /* no memory: the end */
};

enum { /* fts_info */
       LC_FTS_D = 1,
       LC_FTS_DC,
       LC_FTS_DEFAULT,
       LC_FTS_DNR,
       LC_FTS_DOT,
       LC_FTS_DP,
       LC_FTS_ERR,
       LC_FTS_F,
       LC_FTS_INIT,
       LC_FTS_NS,
       LC_FTS_NSOK,
       LC_FTS_SL,
       LC_FTS_SLNONE,
};

enum { LC_FTS_AGAIN = 1, LC_FTS_FOLLOW, LC_FTS_NOINSTR, LC_FTS_SKIP }; /* fts_instr */

enum { LC_FTS_PATH_SIZE = 65535, LC_FTS_ROOT_PARENT = -1, LC_FTS_ROOT = 0 };

struct lc_ftsent {
    struct lc_ftsent *cycle, *parent, *link;
    long number;
    void *pointer;
    char *accpath, *path;
    int error, symfd;
    unsigned short pathlen, namelen;
    uint64_t ino, dev;
    __typeof__(((struct stat *)NULL)->st_nlink) nlink; /* of 8 or of 4 bytes */
    short level;
    unsigned short info, flags, instr;
    struct stat *statp;
    char name[];
};

typedef int (*lc_fts_order_fn)(const struct lc_ftsent **, const struct lc_ftsent **);

struct lc_fts {
    struct lc_ftsent *cur, *child, **array;
    uint64_t dev;
    char *path; /* LC_FTS_PATH_SIZE, so that it never moves */
    int rfd;    /* LC_FTS_OURS, where glibc has a descriptor */
    int pathlen, nitems;
    lc_fts_order_fn compare;
    int options;
};

enum { LC_FTS_OURS = -0x4c6f6164 };

struct lc_ftsent *lc_ftsent_new(const struct lc_fts *fts, const char *name, size_t len);
void lc_ftsent_free_list(struct lc_ftsent *head);

/* Fill what stat says; the new fts_info. */
unsigned short lc_ftsent_stat(const struct lc_fts *fts, struct lc_ftsent *e, bool follow);

/* The length of a path that a slash and a name are appended to. */
static inline size_t lc_ftsent_end(const struct lc_ftsent *e)
{
    return e->path[e->pathlen - 1] == '/' ? e->pathlen - 1u : e->pathlen;
}

/* The children of the current directory, in order; NULL if there are none, or they cannot be read.
 */
enum lc_fts_purpose { LC_FTS_FOR_CHILDREN, LC_FTS_FOR_NAMES, LC_FTS_FOR_READ };
struct lc_ftsent *lc_fts_build(struct lc_fts *fts, enum lc_fts_purpose purpose);
struct lc_ftsent *lc_fts_sort(struct lc_fts *fts, struct lc_ftsent *head, int count);

#endif
