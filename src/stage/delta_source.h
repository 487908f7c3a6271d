/* SPDX-License-Identifier: MIT */
/* delta_source.h - contents that other node directories of this user on this node have already
 *
 * After a small change of an image most of its content is on the node. It is found by its hash and
 * copied instead of being sent; the hash is checked again. */
#ifndef LC_STAGE_DELTA_SOURCE_H
#define LC_STAGE_DELTA_SOURCE_H

#include "image/look.h"

struct lc_delta_sources;

/* List the staged files of all node directories in 'user' (path 'user_path') except the one named
 * 'except'. NULL if there are none. The caller frees it. */
struct lc_delta_sources *lc_delta_sources_find(int user, const char *user_path, const char *except);
void lc_delta_sources_free(struct lc_delta_sources *sources); /* NULL is fine */

/* The path of a staged file with this content, or NULL. Owned by 'sources', which may be NULL. */
const char *lc_delta_sources_path(const struct lc_delta_sources *sources,
                                  const struct lc_inode *inode);

#endif
