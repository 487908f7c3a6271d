/* SPDX-License-Identifier: MIT */
/* serve.h - ld.so's questions answered from the node directory. Freestanding.
 *
 * ld.so holds its lock while it asks, so that one buffer is enough. */
#ifndef LC_AUDIT_SERVE_H
#define LC_AUDIT_SERVE_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

#include "node/loaded_objects.h"

/* Attach to the node directory the environment names. False: leave everything alone. */
bool lc_serve_begin(void);

/* An object is mapped: if it is our preload, it gets the node directory as it is attached here. */
/* For a preflight (node/preflight.h), and else nothing. */
void lc_serve_measure(const struct link_map *map, bool is_program);

void lc_serve_hand_over(const struct link_map *map);

/* The same: if it is ld.so itself, does it search as ld.so(8) says? */
void lc_serve_loader(const struct link_map *map);

/* All objects of the start are there. */
void lc_serve_started(const struct link_map *main_program);

/* Once all objects are there: was our preload among them? If not, it is noted for the whole node
 * that this process writes unseen. */
bool lc_serve_is_covered(void);

/* May this process make no system calls of ours any more? See the preload's seccomp.c. */
bool lc_serve_is_hushed(void);

/* The path itself, or the original of one below NODE/files. */
char *lc_serve_original(const char *name);

/* The program's own file, by its original name. */
const char *lc_serve_executable(void);

/* The image's entry that an object with this name in ld.so's list was staged from, NULL for the
 * program; or of its path, if ld.so has it from the file system and the image holds its content;
 * else LC_NONE. To be asked before lc_serve_rename. */
uint32_t lc_serve_entry(const char *name);

/* What ld.so is to try instead of a path: another path, the path itself, or one where nothing is.
 */
enum lc_question {
    LC_ASKED_PLACE, /* a place of its search for a name */
    LC_ASKED_BASE,  /* a whole path, for an object of the base namespace */
    LC_ASKED_OTHER, /* a whole path, for an object that is not known */
};
char *lc_serve_path(const char *path, enum lc_question question);

/* The same for a bare name that 'loader' asks for. */
char *lc_serve_name(const char *name, const struct lc_objects *all, const struct lc_object *loader);

/* A staged object's name becomes its original's, in place, as ld.so would have spelt it. */
void lc_serve_rename(char *name);

#endif
