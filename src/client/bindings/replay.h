/* SPDX-License-Identifier: MIT */
/* replay.h - write recorded symbol bindings instead of letting ld.so look the symbols up. Called by
 * the auditor. Freestanding.
 *
 * Objects are identified by their content, groups by their first object and the global scope they
 * are loaded into. Nothing in the process is changed before the last expected object of a group is
 * loaded and everything about the group has been validated. Whatever is not exactly as recorded is
 * left to ld.so. */
#ifndef LC_CLIENT_BINDINGS_REPLAY_H
#define LC_CLIENT_BINDINGS_REPLAY_H

#include <link.h>
#include <stdbool.h>

#include "client/bindings/dependency_root.h"
#include "client/bindings/dlopen_calls.h"
#include "client/bindings/foreign_objects.h"
#include "client/bindings/global_scope.h"
#include "client/bindings/group_candidates.h"
#include "client/bindings/group_writer.h"
#include "client/bindings/hide_needed.h"
#include "client/bindings/loaded_set.h"
#include "node/attach.h"
#include "node/search_key.h"

/* All that is known of the process; zeroed memory before lc_replay_begin(). */
struct lc_replay {
    const struct lc_node *node;        /* NULL: nothing is replayed in this process */
    const char *stopped;               /* why nothing more is replayed; NULL: it goes on */
    bool is_started;                   /* the program's start is over */
    bool is_in_group;                  /* a group's first object is loaded, its last one is not */
    bool is_foreign_group;             /* the dlopen has loaded an object that was not recorded */
    struct lc_bindings recorded;       /* the image's bindings */
    struct lc_program_headers program; /* of the program itself */
    struct lc_dlopen_calls calls;
    uint32_t global_calls; /* dlopens with RTLD_GLOBAL that are part of 'scope' */
    uint32_t maybe_global; /* so many of the objects loaded first may be global without our
                              having seen it */
    uint64_t asked_name;   /* XXH64 of the name that ld.so searched for last */
    uintptr_t asking;      /* cookie of the object that needs that name */
    struct lc_foreign_objects foreign;
    struct lc_group_candidates candidates;
    struct lc_group_writer writer; /* has the group that is being loaded */
    struct lc_loaded_set loaded;
    struct lc_global_scope scope;
    struct lc_hide_needed hide;
    struct lc_dependency_roots roots;
};

/* The one instance of this process: thunks, which ld.so calls without arguments, use it too. */
struct lc_replay *lc_replay_of_process(void);

/* Call it once, before any object is loaded; 'mode' are the variables of lc_bind_mode_wants(). */
void lc_replay_begin(struct lc_replay *r, const struct lc_node *node, const struct lc_key *key,
                     const struct lc_variable *mode);

/* ld.so searches for a name, as it was given, on behalf of the object with this cookie. */
void lc_replay_searched(struct lc_replay *r, const char *name, uintptr_t cookie);

/* An object of the base namespace is mapped. Cookies count from 1; 'entry' is the image's entry
 * that the object was staged from, or LC_NONE. */
void lc_replay_opened(struct lc_replay *r, const struct link_map *map, uintptr_t cookie,
                      bool is_program, uint32_t entry);
void lc_replay_closed(struct lc_replay *r, const struct link_map *map, uintptr_t cookie);

/* As la_activity(). */
void lc_replay_activity(struct lc_replay *r, unsigned flag);

/* ld.so has relocated the new object with this thunk. */
void lc_replay_relocated(struct lc_replay *r, uint32_t thunk);

#endif
