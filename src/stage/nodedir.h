/* SPDX-License-Identifier: MIT */
/* nodedir.h - a node directory, opened and checked (node/format.h has a drawing) */
#ifndef LC_STAGE_NODEDIR_H
#define LC_STAGE_NODEDIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/look.h"
#include "node/format.h"
#include "util/error.h"

enum { LC_NODEDIR_NAME = 40, LC_NODEDIR_LEN = 504 };

/* An open node directory. Fields are for reading. */
struct lc_nodedir {
    char path[LC_NODEDIR_LEN];
    char name[LC_NODEDIR_NAME]; /* "0123456789abcdef" or "0123456789abcdef.libs" */
    int user;                   /* DIR/loadcast-UID; owned */
    int fd;                     /* the directory itself; owned */
    const struct lc_state *state;
    struct lc_live *live;
    struct lc_look look; /* of 'index' */
    size_t state_len, live_len, index_len;
};

/* The name of an image's directory. */
void lc_nodedir_name(char out[LC_NODEDIR_NAME], uint64_t image_id, bool only_libs);

/* Does a name in DIR/loadcast-UID name a node directory? */
bool lc_nodedir_is_name(const char *name);

/* Open 'name' in the user's directory 'user', whose path is 'user_path', and check that it is this
 * user's, closed to others, and that its parts fit together. 0, or -1 with err filled and errno:
 * ENOENT absent, EPERM not to be trusted, EBADMSG damaged. The caller closes it. */
int lc_nodedir_open(struct lc_nodedir *node, int user, const char *user_path, const char *name,
                    struct lc_error *err);
void lc_nodedir_close(struct lc_nodedir *node); /* a zeroed one is fine */

/* Is its name still that of this directory? Else it was removed meanwhile. */
bool lc_nodedir_is_current(const struct lc_nodedir *node);

/* Call 'each' with every directory DIR/loadcast-UID of this user's on this machine, for all places
 * or for 'dir' alone if that is not NULL. 'refused' (may be NULL) gets those that cannot be
 * trusted. */
void lc_nodedir_each_user(const char *dir, void (*each)(void *arg, int user, const char *user_path),
                          void (*refused)(void *arg, const struct lc_error *why), void *arg);

/* Call 'each' with every node directory in one of them: open, or NULL and why it cannot be used. */
void lc_nodedir_each(int user, const char *user_path,
                     void (*each)(void *arg, const char *path, const struct lc_nodedir *node,
                                  const struct lc_error *why),
                     void *arg);

#endif
