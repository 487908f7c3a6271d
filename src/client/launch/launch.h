/* SPDX-License-Identifier: MIT */
/* launch.h - the static launcher: what each rank runs before its program
 *
 *   launch PROGRAM [ARGUMENT...]     with LOADCAST_NODE in the environment, or as NODE/bin/launch;
 *                                    also as /proc/self/fd/N, which it closes
 *                                    (src/launch/scripts/find_launcher.sh)
 *
 * It has no C library, so that it starts in no time and asks no file system for anything but the
 * node directory. If anything at all is wrong, it executes the program as if it were not there. */
#ifndef LC_CLIENT_LAUNCH_H
#define LC_CLIENT_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>

#include "node/attach.h"
#include "node/audit_fit.h"
#include "node/file_kind.h"

/* The numbers of errno that matter here. */
enum {
    LC_ENOENT = 2,
    LC_E2BIG = 7,
    LC_ENOEXEC = 8,
    LC_EACCES = 13,
    LC_ENOTDIR = 20,
    LC_ETXTBSY = 26,
    LC_ENAMETOOLONG = 36,
    LC_ELOOP = 40,
};

struct lc_rank_start {
    char **argv;       /* the program's: argv[0] as the user wrote it */
    const char *name;  /* of the program: a path, or to be looked for in PATH */
    bool is_measuring; /* nothing is to be executed */
    bool is_child;     /* 'name' is a path, also without a slash */
    char **env;        /* as it came */
    char **ours;       /* with the client in it */
    const char *path;  /* the variable */
    const char *self;  /* where this program is: AT_EXECFN, or the file behind it (main.c) */
    bool tells;        /* LOADCAST_TELL: say what is not covered */
    struct lc_node node;
    char dir[LC_NODE_LEN]; /* NODE */
    char own[LC_NODE_LEN + 16];
    struct lc_walk walk;
    char full[2 * LC_PATH_MAX];
};

/* A program: where it is for everybody else, and the file to execute. */
struct lc_found_program {
    char path[LC_PATH_MAX];               /* as found: absolute, or relative as in PATH */
    char file[LC_PATH_MAX + LC_NODE_LEN]; /* the staged file, or the path again */
    bool is_staged;
    bool is_privileged; /* set-user-ID, set-group-ID or capabilities */
};

/* find.c: what would execvp run? 0, or an errno. */
int lc_launch_find(struct lc_rank_start *l, const char *name, struct lc_found_program *out);
/* The same for a path. */
int lc_launch_locate(struct lc_rank_start *l, const char *path, struct lc_found_program *out);

/* environ.c: the environment with the client in front, in l->ours; false: no memory, or nothing of
 * the client is there. */
bool lc_launch_environment(struct lc_rank_start *l);
/* The environment as if we were not there, in l->env: without our words and objects, whosever exec
 * brought them. */
void lc_launch_strip(struct lc_rank_start *l);
/* The same for the auditor alone, in l->ours. */
void lc_launch_drop_audit(struct lc_rank_start *l);
/* GLIBC_TUNABLES, with this value for LC_TLS_TUNABLE at its end (0: without), in l->ours. */
void lc_launch_set_tls_room(struct lc_rank_start *l, uint64_t bytes);
/* Where our auditor is; false if it is not in l->ours. */
bool lc_launch_auditor(const struct lc_rank_start *l, char *out, size_t size);
/* A variable's value, or NULL. */
const char *lc_launch_variable(char *const *env, const char *name);

/* fit.c: can the program be started under our auditor? Changes l->ours so that it can. */
enum lc_fit_kind lc_launch_fit(struct lc_rank_start *l, const struct lc_found_program *program);

/* way.c: a directory (absolute path), opened without following links; -1 if others could put
 * another in its place, or it is not there. The caller closes it. */
int lc_launch_open_way(const char *path);

/* users.c: leave this process's name in NODE/users. */
void lc_launch_register(const struct lc_rank_start *l);

/* main.c: a line on stderr, if asked for. */
void lc_launch_tell(const struct lc_rank_start *l, const char *program, const char *what);

/* run.c: execute; returns an errno if it cannot. */
int lc_launch_run(struct lc_rank_start *l);
/* As if we were not there. */
int lc_launch_plainly(struct lc_rank_start *l);

#endif
