/* SPDX-License-Identifier: MIT */
/* job_run.h - the parts of loadcast run */
#ifndef LC_CMD_RUN_H
#define LC_CMD_RUN_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "cmd/staging_options.h"
#include "launch/compose.h"
#include "util/cli.h"

struct lc_run {
    char **argv; /* the launch line */
    struct lc_line line;
    char image[PATH_MAX]; /* as found or given */
    char use[PATH_MAX];   /* what is true today: the image or an overlay of it */
    char origin[PATH_MAX];
    struct lc_cast cast;
    struct lc_cast_report staged;
    struct lc_cast_report before; /* --stats: counters of nodes that had the image already */
    bool is_staged;
    bool was_staged;    /* by an earlier run of this job */
    bool unseen;        /* nobody has looked at the nodes in this run: a dry one, or 'was_staged' */
    bool stages_itself; /* the first rank on each node does it */
    bool has_checked, is_overlay;
    size_t entries; /* asked by check */
    double check_s, launch_s, end_s;
    struct lc_composed ranks;
    bool fronted;   /* the staged launcher stands before each program */
    char flags[96]; /* that a run within the line gets too */
    int asked;      /* the signal by which somebody asked us to end; else 0 */
};

/* run_image.c: the image's name, from the option, $LOADCAST_IMAGE or the program's own. 0, or -1
 * with err filled: it is too long. */
int lc_run_name_image(struct lc_run *run, const char *given, struct lc_error *err);
/* Where changes to an image that cannot be written go; false: check decides. */
bool lc_run_name_overlay(const struct lc_run *run, char out[PATH_MAX]);
/* Is the program of the line in the image? Then it can be started from node memory too. */
bool lc_run_has_program(const struct lc_run *run);

/* run_job.c: what an earlier run of the same job found out. True if it still holds. */
bool lc_run_recall(struct lc_run *run, bool *is_staged);
void lc_run_remember(const struct lc_run *run);
/* Which nodes and directory it is staged on, as text; the caller frees it. */
char *lc_run_name_nodes(const struct lc_run *run);

/* run_pilot.c: record the image; its command is printed first. 0, or -1 with err filled. */
struct lc_run_pilot {
    const char *line; /* given by --pilot, or NULL */
    double for_s;
    const struct lc_strings *manage;
    bool dry_run;
};
/* *asked as of lc_run_child: then nothing more is to be done. */
int lc_run_record(const struct lc_run *run, const struct lc_run_pilot *how, int *asked,
                  struct lc_error *err);

/* run_line.c: run->ranks, from the node directory. 0, or -1 with err filled. */
enum lc_wrap { LC_WRAP_AUTO, LC_WRAP_ALWAYS, LC_WRAP_NEVER };
/* Must and can the staged launcher stand before each program? */
bool lc_run_wants_front(const struct lc_run *run, enum lc_wrap wrap);
int lc_run_compose(struct lc_run *run, enum lc_wrap wrap, struct lc_error *err);
/* Ranks that stage by themselves, for lines whose nodes are not known before. */
int lc_run_compose_self(struct lc_run *run, bool dry_run, struct lc_error *err);
/* The steps as one could paste them into a job script, on stdout. */
void lc_run_print(const struct lc_run *run, bool cleans);

/* run_child.c: the launch line as a child, with our streams; signals are its own affair. Its status
 * as by wait(), or -1 with err filled. *asked is the signal by which somebody asked us to end
 * meanwhile, or 0. It is told to end if this process is killed. 'is_last': the streams are its
 * alone, but for standard error. */
int lc_run_child(char *const *argv, char *const *environment, bool is_last, int *asked,
                 struct lc_error *err);
/* Signals that this process must have its own way; the line gets them as they were. Before an exec
 * in place they are given back. */
void lc_run_take_signals(void);
void lc_run_give_signals_back(void);

/* run_guard.c: from now on the nodes are cleaned, in cast.dir and in 'or_dir' (may be NULL), if
 * this process is killed; until it is all right. */
void lc_run_guard_begin(const struct lc_run *run, const char *or_dir);
void lc_run_guard_end(void);
/* We could not clean: the guard shall, while this process ends. */
void lc_run_guard_leave(const struct lc_run *run);
/* Descriptors above standard error, but for the guard's. */
void lc_run_close_others(void);

/* run_share.c: from now on no other run of the same image outside a job takes it from the nodes. */
void lc_run_share_begin(const struct lc_run *run);
/* Is there no other? Then none begins until the end; else this one lets go. */
bool lc_run_share_is_last(void);
/* For whoever cleans in place of a run that was killed: it does not hold the lock of that, and gets
 * one for itself if there is no other run. */
void lc_run_share_let_go(void);
bool lc_run_share_take_over(void);
void lc_run_share_end(void);
int lc_run_share_fd(void); /* -1: none */

/* run_nested.c: out of our own environment with what an outer run has put there for its program. */
void lc_run_leave_outer(void);
/* The variables by which a plain command that starts launchers itself has them go through 'loadcast
 * run'; 'dir' is --dir as given, or NULL. None where there is no launcher. */
void lc_run_add_shims(const struct lc_run *run, const char *dir, struct lc_argv *out);

/* run_stats.c: the honest total on stderr; 'end' is what the nodes said afterwards (may be NULL),
 * and run->before what they had said before the line started. */
void lc_run_print_stats(const struct lc_run *run, const struct lc_cast_report *end);
/* Staged, and all nodes say that no process has ever used it? Then why, most likely, in 'out'. */
bool lc_run_is_unused(const struct lc_run *run, const struct lc_cast_report *end,
                      struct lc_error *out);

#endif
