/* SPDX-License-Identifier: MIT */
/* entry.h - an image in the store, and what is known about it
 *
 * Files of an entry, drawn in doc/store.md: KEY.lcast is the image, KEY.json says what it is for,
 * KEY.used has one byte per job and the time of the last one. Each may be missing. */
#ifndef LC_STORE_ENTRY_H
#define LC_STORE_ENTRY_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "store/dir.h"
#include "store/key.h"

#define LC_STORE_IMAGE ".lcast"

/* The path of the key's image, whether it is there or not. 0, or -1 with err filled if that is too
 * long. */
int lc_store_entry_path(const struct lc_store_dir *dir, const char *key, char out[PATH_MAX],
                        struct lc_error *err);

/* Is the image there, a file of this user? Else errno: ENOENT there is none. */
bool lc_store_entry_has_image(const struct lc_store_dir *dir, const char *key);

/* A job uses the image: count it. Three operations on the store's disk; a failure is ignored. */
void lc_store_entry_use(const struct lc_store_dir *dir, const char *key);

/* Write down what the key's image is for; 'has_nothing': the program was recorded with the words
 * of key->words, and asked nothing of the shared file systems. 0, or -1 with errno. */
int lc_store_entry_describe(const struct lc_store_dir *dir, const struct lc_store_key *key,
                            bool has_nothing);

/* What was written down, or NULL; the caller owns it. */
json_t *lc_store_entry_about(const struct lc_store_dir *dir, const char *key);

/* Was there nothing to record, with these words (key->words) and since yesterday? With others the
 * program may ask more, and so it may when its input has changed. *is_described (may be NULL):
 * something was written down. */
bool lc_store_entry_has_nothing(const struct lc_store_dir *dir, const struct lc_store_key *key,
                                bool *is_described);

/* Write down how many paths the last job still asked the shared file systems for. Ignored if there
 * is no description; nothing is written if that is known. */
void lc_store_entry_note_misses(const struct lc_store_dir *dir, const char *key, uint64_t misses);

/* Remove all files of the key; readers that have the image open keep it. 0, or -1 with errno. */
int lc_store_entry_remove(const struct lc_store_dir *dir, const char *key);

#endif
