/* SPDX-License-Identifier: MIT */
/* ask.h - from a path as a program writes it to what the image knows of it */
#ifndef LC_PRELOAD_ASK_H
#define LC_PRELOAD_ASK_H

#include <stdbool.h>

#include "node/attach.h"

/* Room for one question: too large for the small stacks that signal handlers and threads may have,
 * so it is borrowed, and given back. */
struct lc_room {
    struct lc_walk walk;
    char full[2 * LC_PATH_MAX]; /* the path made absolute */
    char staged[LC_PATH_MAX + LC_NODE_LEN];
};

struct lc_room *lc_room_take(void); /* NULL: none to be had */
void lc_room_give(struct lc_room *room);

/* The node directory of this process, or NULL: everything passes through. */
const struct lc_node *lc_client_node(void);
void lc_client_leave(void); /* NULL from now on */
bool lc_client_has_left(void);
/* The same for a process that may make no system calls of ours: changes are still noted, in the
 * node directory of lc_client_hushed (else NULL). */
void lc_client_hush(void);
const struct lc_node *lc_client_hushed(void);
/* The same also after leaving: to find our own words in an environment. */
const struct lc_node *lc_client_attached(void);

enum lc_verdict {
    LC_PASS,   /* let the C library do it */
    LC_KNOWN,  /* 'entry' tells */
    LC_ABSENT, /* fail with 'error' */
};

struct lc_ask {
    const struct lc_node *node;
    struct lc_room *room;
    enum lc_verdict verdict;
    uint32_t entry;
    const struct lc_entry *what;
    const struct lc_inode *inode;
    const char *path; /* without links; known entries only */
    size_t len;
    int error;
    const char *elsewhere; /* passed: the same place without the links that the image knows, which
                              spares the file system they are on; or NULL */
};

enum { LC_ASK_NOFOLLOW = 1 };

/* Ask. Begin and end go together: end gives the room back, whatever the verdict. Calls that are
 * passed through are counted here. */
void lc_ask_begin(struct lc_ask *ask, int dirfd, const char *path, int flags);
void lc_ask_end(struct lc_ask *ask);

/* The same in a room of the caller's. */
void lc_ask_in_room(struct lc_ask *ask, struct lc_room *room, int dirfd, const char *path,
                    int flags);

/* Known, but it must be passed through for this reason: count it, and let the verdict be LC_PASS.
 */
void lc_ask_pass(struct lc_ask *ask, enum lc_count_kind why);

/* NODE/files/... of a known regular file whose content is there; NULL else (passed through). */
const char *lc_ask_staged(struct lc_ask *ask);

/* The parts of asking that others need: 'path' as an absolute path in room->full (its length, or
 * 0); "/proc/self/fd/N" (at most 40 bytes); does a path lie below one of the image's mounts? */
size_t lc_make_absolute(const struct lc_node *node, struct lc_room *room, int dirfd,
                        const char *path);
void lc_name_fd(char *out, int fd);
bool lc_is_managed(const struct lc_node *node, const char *path);

/* unserved.c: a call on a path that is the file system's to answer, counted. */
void lc_count_unserved(const char *path);

/* note.c: what is about to change. */
enum lc_change {
    LC_CHANGE_CONTENT, /* of what 'path' leads to, or its attributes */
    LC_CHANGE_ITSELF,  /* attributes of a link itself, if it is one */
    LC_CHANGE_MAKE,    /* the name is to appear */
    LC_CHANGE_REMOVE,  /* the name is to go, or to become another thing */
    LC_CHANGE_RIGHTS,  /* mode or owner: of a directory, they decide about everything below */
};

/* A call is about to change what 'path' names: take it and its directory out of service. True: once
 * the call has succeeded, lc_note_done must be told. (A name that is there already will hardly be
 * made, so what it would change is left in service until then.) */
bool lc_note_change(int dirfd, const char *path, enum lc_change change);
void lc_note_done(int dirfd, const char *path, enum lc_change change);

/* Does the image know that there is such a name? */
bool lc_is_there(int dirfd, const char *path);

/* The entry is out of service, under all the names its file has. */
void lc_note_entry(const struct lc_node *node, uint32_t entry);

#endif
