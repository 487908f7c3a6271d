/* SPDX-License-Identifier: MIT */
/* nodedir.h - a node directory as the stager left it (node/format.h draws it) */
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

/* Open 'name' in the user's directory 'user', whose path is 'user_path': ours, closed to others,
 * and its parts fit together. 0, or -1 with err filled and errno: ENOENT absent, EPERM not to be
 * trusted, EBADMSG damaged. The caller closes it. */
int lc_nodedir_open(struct lc_nodedir *node, int user, const char *user_path, const char *name,
                    struct lc_error *err);
void lc_nodedir_close(struct lc_nodedir *node); /* a zeroed one is fine */

/* Is it still this directory that stands under its name? (Else it was cleaned meanwhile.) */
bool lc_nodedir_is_current(const struct lc_nodedir *node);

#endif
