/* SPDX-License-Identifier: MIT */
/* serve.h - ld.so's questions answered from the node directory. Freestanding. */
#ifndef LC_AUDIT_SERVE_H
#define LC_AUDIT_SERVE_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

#include "client/audit/auditor.h"

/* Attach to the node directory the environment names. False: leave everything alone. */
bool lc_serve_begin(struct lc_auditor *a);

/* An object is mapped. In a preflight (node/preflight.h) it is measured. */
void lc_serve_measure(struct lc_auditor *a, const struct link_map *map, bool is_program);

/* If it is our preload, it gets the node directory as it is attached here. */
void lc_serve_hand_over(struct lc_auditor *a, const struct link_map *map);

/* If it is ld.so itself, does it search as ld.so(8) says? */
void lc_serve_loader(struct lc_auditor *a, const struct link_map *map);

/* All objects of the start are there. */
void lc_serve_started(struct lc_auditor *a, const struct link_map *program);

/* Once all objects are there: was our preload among them? If not, it is noted for the whole node
 * that this process writes unseen. */
bool lc_serve_is_covered(struct lc_auditor *a);

/* May this process make no system calls of ours any more? See the preload's seccomp.c. */
bool lc_serve_is_hushed(struct lc_auditor *a);

/* The path itself, or the original of one below NODE/files. */
char *lc_serve_original(struct lc_auditor *a, const char *name);

/* The program's own file, by its original name. */
const char *lc_serve_executable(struct lc_auditor *a);

/* The image's entry that an object with this name in ld.so's list was staged from, NULL for the
 * program; or of its path, if ld.so has it from the file system and the image holds its content;
 * else LC_NONE. To be asked before lc_serve_rename. */
uint32_t lc_serve_entry(struct lc_auditor *a, const char *name);

/* What ld.so is to try instead of a path: another path, the path itself, or one where nothing is.
 */
enum lc_question {
    LC_ASKED_PLACE, /* a place of its search for a name */
    LC_ASKED_BASE,  /* a whole path, for an object of the base namespace */
    LC_ASKED_OTHER, /* a whole path, for an object that is not known */
};
char *lc_serve_path(struct lc_auditor *a, const char *path, enum lc_question question);

/* A relative path that was just answered by its staged copy, with the working directory before it;
 * NULL if it was not. */
const char *lc_serve_full(const struct lc_auditor *a, const char *path);

/* A name with $ORIGIN, as 'owner' gave it to dlopen, as a path; the name itself if there is
 * nothing, so that ld.so tells of it by that name, or if only ld.so can tell. */
const char *lc_serve_expand(struct lc_auditor *a, const char *name, const char *owner);

/* The image's search key that holds in this process, or LC_NONE. */
uint32_t lc_serve_search_key(struct lc_auditor *a);

/* lc_serve_path for a bare name that 'loader' asks for. */
char *lc_serve_name(struct lc_auditor *a, const char *name, const struct lc_object *loader);

/* A staged object's name becomes its original's, in place, as ld.so would have spelt it. */
void lc_serve_rename(struct lc_auditor *a, char *name);

/* Parts of the answers, which serve_path.c and serve_name.c share. Paths are absolute. */

/* What the image says of a path, unless something was written that might matter; and the entry. */
enum lc_answer lc_serve_ask(struct lc_auditor *a, const char *path, uint32_t *entry);

/* The staged copy of an object, in a->found_path; NULL if there is none. lc_serve_copy counts it as
 * loaded. */
char *lc_serve_find_copy(struct lc_auditor *a, const char *path);
char *lc_serve_copy(struct lc_auditor *a, const char *path);

/* The same of a file that is no object. */
const char *lc_serve_data(struct lc_auditor *a, const char *path);

/* A path that is left to the file system; but if its file is loaded from node memory, by whatever
 * path, then that one again. */
char *lc_serve_pass(struct lc_auditor *a, const char *path, bool *is_there);

/* The answer for what is nowhere; NULL: ld.so is to find out. */
char *lc_serve_refuse(struct lc_auditor *a, const char *name);

/* A path relative to the working directory, from the root; NULL if it cannot be told. */
const char *lc_serve_absolute(struct lc_auditor *a, const char *path);

/* Can ld.so load this file? */
bool lc_serve_is_object(const char *path);

#endif
