/* SPDX-License-Identifier: MIT */
/* delta_source.h - content that this user's other node directories on this node hold already
 *
 * After a small change of an image most of its content is on the node. It is found by its hash and
 * copied, with the hash checked again, instead of being sent. */
#ifndef LC_STAGE_DELTA_SOURCE_H
#define LC_STAGE_DELTA_SOURCE_H

#include "image/look.h"

struct lc_delta_sources;

/* Look through the node directories in 'user' (path 'user_path') but the one called 'except'. NULL
 * if there is nothing to be had. The caller frees it. */
struct lc_delta_sources *lc_delta_sources_find(int user, const char *user_path, const char *except);
void lc_delta_sources_free(struct lc_delta_sources *sources); /* NULL is fine */

/* A staged file with this content, or NULL. Owned by 'sources', which may be NULL. */
const char *lc_delta_sources_path(const struct lc_delta_sources *sources,
                                  const struct lc_inode *inode);

#endif
