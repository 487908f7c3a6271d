/* SPDX-License-Identifier: MIT */
/* launch.h - the static launcher that each rank runs before its program
 *
 * launch PROGRAM [ARGUMENT...]
 *
 * LOADCAST_NODE is in the environment, or the launcher is started as NODE/bin/launch, or as
 * /proc/self/fd/N, which it closes (src/launch/scripts/find_launcher.sh).
 *
 * It has no C library, so that it starts fast and reads nothing but the node directory. If
 * anything is wrong, it executes the program as if there were no launcher.
 */
#ifndef LC_CLIENT_LAUNCH_H
#define LC_CLIENT_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>

#include "node/attach.h"
#include "node/audit_fit.h"
#include "node/file_kind.h"

/* The errno values that are used here. */
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
    char **argv;       /* of the program: argv[0] as the user wrote it */
    const char *name;  /* name of the program: a path, or to be searched for in PATH */
    bool is_measuring; /* only measure for audit_fit.c; execute nothing */
    bool is_child;     /* 'name' is a path, also without a slash */
    char **env;        /* the launcher's environment */
    char **ours;       /* the program's environment, with our objects in it */
    const char *path;  /* value of PATH */
    const char *self;  /* path of the launcher: AT_EXECFN, or the file behind it (main.c) */
    bool tells;        /* LOADCAST_TELL: print which programs are not served */
    struct lc_node node;
    char dir[LC_NODE_LEN]; /* NODE */
    char own[LC_NODE_LEN + 16];
    struct lc_walk walk;
    char full[2 * LC_PATH_MAX];
};

/* A program: its original path, and the file to execute. */
struct lc_found_program {
    char path[LC_PATH_MAX];               /* as found: absolute, or relative as in PATH */
    char file[LC_PATH_MAX + LC_NODE_LEN]; /* the staged file, or the path again */
    bool is_staged;
    bool is_privileged;         /* set-user-ID, set-group-ID or capabilities */
    struct lc_file_status stat; /* of 'file' */
};

/* find_program.c: which file would execvp run? 0, or an errno. */
int lc_launch_find(struct lc_rank_start *l, const char *name, struct lc_found_program *out);
/* As lc_launch_find(), for a path. */
int lc_launch_locate(struct lc_rank_start *l, const char *path, struct lc_found_program *out);

/* environment.c: make the environment with our objects in l->ours; false: no memory, or our objects
 * are not there. */
bool lc_launch_environment(struct lc_rank_start *l);
/* Remove our variables and objects from l->env, also those of an outer 'loadcast exec'. */
void lc_launch_strip(struct lc_rank_start *l);
/* Remove our auditor from l->ours. */
void lc_launch_drop_audit(struct lc_rank_start *l);
/* Set GLIBC_TUNABLES in l->ours, with this value for LC_TLS_TUNABLE at its end (0: without it). */
void lc_launch_set_tls_room(struct lc_rank_start *l, uint64_t bytes);
/* The path of our auditor; false if it is not in l->ours. */
bool lc_launch_auditor(const struct lc_rank_start *l, char *out, size_t size);
/* A variable's value, or NULL. */
const char *lc_launch_variable(char *const *env, const char *name);
/* Is it "0"? */
bool lc_launch_is_off(const struct lc_rank_start *l, const char *name);

/* audit_fit.c: can the program be started under our auditor? Changes l->ours so that it can. */
enum lc_fit_kind lc_launch_fit(struct lc_rank_start *l, const struct lc_found_program *program);

/* trusted_dir.c: open a directory (absolute path) without following links; -1 if it does not exist,
 * or if other users could replace it or a directory above it. The caller closes it. */
int lc_launch_open_trusted(const char *path);

/* users.c: register this process in NODE/users. */
void lc_launch_register(const struct lc_rank_start *l);

/* main.c: print a line on stderr if LOADCAST_TELL asks for it. */
void lc_launch_tell(const struct lc_rank_start *l, const char *program, const char *what);

/* execute.c: execute the program; returns an errno if that fails. */
int lc_launch_run(struct lc_rank_start *l);
/* Execute the program as if there were no launcher. */
int lc_launch_without_client(struct lc_rank_start *l);

#endif
