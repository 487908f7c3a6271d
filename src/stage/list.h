/* SPDX-License-Identifier: MIT */
/* list.h - this user's node directories on this machine */
#ifndef LC_STAGE_LIST_H
#define LC_STAGE_LIST_H

#include "stage/nodedir.h"
#include "util/error.h"

/* Call 'each' with every DIR/loadcast-UID that is there and ours, in all places, or in 'dir' alone
 * (may be NULL); 'refused' with those that cannot be trusted (may be NULL). */
void lc_list_users(const char *dir, void (*each)(void *arg, int user, const char *user_path),
                   void (*refused)(void *arg, const struct lc_error *why), void *arg);

/* Call 'each' with every node directory in one of them: open, or NULL with the reason. */
void lc_list_nodes(int user, const char *user_path,
                   void (*each)(void *arg, const char *path, const struct lc_nodedir *node,
                                const struct lc_error *why),
                   void *arg);

#endif
