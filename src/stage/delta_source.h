/* SPDX-License-Identifier: MIT */
/* delta_source.h - content that this user's other node directories on this node hold already
 *
 * After a small change of an image most of its content is on the node. It is found by its hash and
 * copied, with the hash checked again, instead of being sent. */
#ifndef LC_STAGE_DONOR_H
#define LC_STAGE_DONOR_H

#include "image/look.h"

struct lc_donors;

/* Look through the node directories in 'user' (path 'user_path') but the one called 'except'. NULL
 * if there is nothing to be had. The caller frees it. */
struct lc_donors *lc_donors_find(int user, const char *user_path, const char *except);
void lc_donors_free(struct lc_donors *donors); /* NULL is fine */

/* A staged file with this content, or NULL. Owned by 'donors', which may be NULL. */
const char *lc_donors_path(const struct lc_donors *donors, const struct lc_inode *inode);

#endif
