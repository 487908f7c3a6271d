/* SPDX-License-Identifier: MIT */
/* learn_marks.h - which entries of an image jobs have added; private to learn*.c */
#ifndef LC_RECORD_LEARN_MARKS_H
#define LC_RECORD_LEARN_MARKS_H

#include <jansson.h>

#include "image/image.h"
#include "image/tree.h"

/* The number of the next job in the provenance's "learnt". */
uint16_t lc_learn_next_number(const json_t *provenance);

/* New names of files that the image holds already (hard links) share their inode: two copies of one
 * library in node memory would be two libraries. */
void lc_learn_join_links(struct lc_tree *tree, const struct lc_image *image);

/* Mark the entries of the tree that the image does not have, or of which it has less. How many. */
size_t lc_learn_mark(struct lc_tree *tree, const struct lc_image *image, uint16_t number);

void lc_learn_note_job(json_t *provenance, uint16_t number, const char *job, size_t entries);

/* Drop what jobs have added at or after a time, and those jobs from the provenance. How many
 * entries.
 */
size_t lc_learn_unmark(struct lc_tree *tree, json_t *provenance, uint64_t since_wall_ns);

#endif
