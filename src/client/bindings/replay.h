/* SPDX-License-Identifier: MIT */
/* replay.h - recorded bindings instead of symbol look-ups: called by the auditor. Freestanding.
 *
 * Objects are told by their content, groups by their root and the global scope they are loaded
 * into. Nothing is edited before the last expected object of a group is there and everything about
 * the group has been validated. What is not exactly as recorded is loaded as ever. */
#ifndef LC_CLIENT_BINDINGS_REPLAY_H
#define LC_CLIENT_BINDINGS_REPLAY_H

#include <link.h>
#include <stdbool.h>

#include "node/attach.h"
#include "node/search_key.h"

/* Once, before any object; 'mode' as lc_bind_mode_wants() has it, read with the key. */
void lc_replay_begin(const struct lc_node *node, const struct lc_key *key,
                     const struct lc_variable *mode);

/* ld.so looks for a name, as it was given, for the object with this cookie. */
void lc_replay_asked(const char *name, uintptr_t cookie);

/* An object of the base namespace is mapped. 'cookie' tells it from others, from 1 on; 'entry' is
 * the image's it was staged from, or LC_NONE. */
void lc_replay_opened(const struct link_map *map, uintptr_t cookie, bool is_program,
                      uint32_t entry);
void lc_replay_closed(const struct link_map *map, uintptr_t cookie);
void lc_replay_activity(unsigned flag);

#endif
