/* SPDX-License-Identifier: MIT */
/* query.h - look up a path that a program passed in the image */
#ifndef LC_PRELOAD_PATH_QUERY_H
#define LC_PRELOAD_PATH_QUERY_H

#include <stdbool.h>

#include "node/attach.h"

/* Buffers for one look-up. They are too large for the small stacks of signal handlers and threads,
 * so they are taken from a pool and given back. */
struct lc_scratch {
    struct lc_walk walk;
    char full[2 * LC_PATH_MAX]; /* the path made absolute */
    char staged[LC_PATH_MAX + LC_NODE_LEN];
};

struct lc_scratch *lc_scratch_take(void); /* NULL: no memory */
void lc_scratch_give(struct lc_scratch *scratch);

/* The node directory of this process, or NULL: every call is passed through. */
const struct lc_node *lc_client_node(void);
/* If this process is in the part 'from' of the client (node/starts.h), it is in 'to' now. */
void lc_client_note_part(uint32_t from, uint32_t to);
void lc_client_detach(void); /* lc_client_node() returns NULL from now on */
bool lc_client_has_detached(void);
/* Detach, and make no more system calls of ours in this process (a seccomp filter may kill for
 * them). Changes still invalidate entries in shared memory, in the node directory that
 * lc_client_node_no_syscalls() returns; it returns NULL in other processes. */
void lc_client_stop_syscalls(void);
const struct lc_node *lc_client_node_no_syscalls(void);
/* As lc_client_node(), but also after detaching: for removing our settings from an environment. */
const struct lc_node *lc_client_last_node(void);

enum lc_verdict {
    LC_PASS,   /* call the C library's function */
    LC_KNOWN,  /* 'entry' describes it */
    LC_ABSENT, /* the path does not exist: fail with 'error' */
};

struct lc_query {
    const struct lc_node *node;
    struct lc_scratch *scratch;
    enum lc_verdict verdict;
    uint32_t entry;
    const struct lc_entry *what;
    const struct lc_inode *inode;
    const char *path; /* known entries: with links resolved; else as made absolute */
    size_t len;
    int error;
    enum lc_miss_kind asked; /* for the miss log */
    const char *resolved;    /* LC_PASS: the same path with the links that the image knows resolved,
                                 so that the kernel need not read them; or NULL */
};

enum {
    LC_QUERY_NOFOLLOW = 1,
    /* What is asked, if it is more than whether the path exists and what stat tells of it: */
    LC_QUERY_READ = 2,
    LC_QUERY_LIST = 4,
    LC_QUERY_EXEC = 8,
};

/* Look up 'path'. Every begin needs an end, which gives the buffers back whatever the verdict is.
 * Calls that are passed through are counted here. */
void lc_query_begin(struct lc_query *query, int dirfd, const char *path, int flags);
void lc_query_end(struct lc_query *query);

/* As lc_query_begin(), with the caller's buffers. */
void lc_query_with(struct lc_query *query, struct lc_scratch *scratch, int dirfd, const char *path,
                   int flags);

/* A known path must be passed through for this reason: count it and set the verdict to LC_PASS. */
void lc_query_pass(struct lc_query *query, enum lc_count_kind why);

/* The path NODE/files/... of a known regular file whose content is staged; else NULL, and the
 * verdict is LC_PASS. */
const char *lc_query_staged_path(struct lc_query *query);

/* Steps of a look-up that other files need: make 'path' absolute in scratch->full (its length, or
 * 0); write "/proc/self/fd/N" (at most 40 bytes); is a path below one of the image's mounts? */
size_t lc_make_absolute(const struct lc_node *node, struct lc_scratch *scratch, int dirfd,
                        const char *path);
void lc_fd_path(char *out, int fd);
bool lc_is_managed(const struct lc_node *node, const char *path);

/* unserved.c: count a call on a path that is always passed through. */
void lc_count_unserved(const char *path);

/* invalidate.c: kinds of changes. */
enum lc_change {
    LC_CHANGE_CONTENT, /* content or attributes of the file that 'path' leads to */
    LC_CHANGE_ITSELF,  /* attributes of a link itself, if 'path' is one */
    LC_CHANGE_MAKE,    /* the name is created */
    LC_CHANGE_REMOVE,  /* the name is removed, or replaced */
    LC_CHANGE_RIGHTS, /* mode or owner: those of a directory decide on access to everything below it
                       */
};

/* A call is about to change what 'path' names: invalidate the entry and its directory. True: if the
 * call succeeds, lc_invalidate_after() must be called. (Creating a name that exists already usually
 * fails, so that entry stays valid until lc_invalidate_after().) */
bool lc_invalidate_before(int dirfd, const char *path, enum lc_change change);
void lc_invalidate_after(int dirfd, const char *path, enum lc_change change);

/* Does the image know that this name exists? */
bool lc_is_known_to_exist(int dirfd, const char *path);

/* Invalidate an entry under all the names (hard links) of its file. */
void lc_invalidate_entry(const struct lc_node *node, uint32_t entry);

#endif
