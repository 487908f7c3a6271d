/* SPDX-License-Identifier: MIT */
/* job_run.h - one run of a launch line, and the parts that 'loadcast run' is made of */
#ifndef LC_LAUNCH_JOB_RUN_H
#define LC_LAUNCH_JOB_RUN_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "launch/compose.h"
#include "launch/mpi_step.h"
#include "launch/run.h"
#include "launch/stage_nodes.h"
#include "store/key.h"
#include "store/suspect.h"

/* Actions of signals that this process changes for itself; the line must find them unchanged. */
struct lc_line_signals {
    struct sigaction child, pipe, file_size;
};

/* The process that cleans up if this one is killed. */
struct lc_cleanup_guard {
    pid_t pid;   /* 0: none */
    int pipe_fd; /* our end: a byte tells that all is well; -1: none */
};

/* A lock that all runs of one image outside a job share. */
struct lc_shared_use {
    int lock; /* -1: none */
    bool is_exclusive;
    char path[80];
};

/* Who stages? */
enum lc_who_stages {
    LC_STAGE_BY_STEP,  /* one process on each node, started before the line */
    LC_STAGE_HERE,     /* this process: all of the line runs on this machine */
    LC_STAGE_BY_RANKS, /* the first rank on each node */
};

/* Who stages, and what it would cost. */
struct lc_staging_choice {
    enum lc_who_stages who;
    long nodes; /* that the line may use; 0: not known */
    uint64_t bytes;
    double step_s, ranks_s; /* estimates; 0 if there was nothing to choose */
    char why[160];          /* as a sentence */
};

struct lc_job_run {
    const struct lc_run_options *options;
    char **argv; /* the launch line */
    struct lc_launch_line line;
    char image[PATH_MAX];        /* as found or given */
    char key[LC_STORE_KEY];      /* of the image in the store; "": it is not from there */
    struct lc_store_key missing; /* the key for which the store has no image; "": not looked for */
    bool is_described;           /* the store knows something of the missing key */
    bool all_found;              /* every program that the missing key names is here */
    char private_dir[PATH_MAX];  /* holds the image of this run alone; "": none */
    char use[PATH_MAX];          /* the image, or an overlay of it with what changed since */
    char origin[PATH_MAX];       /* where Loadcast's own files lie */
    char dir[PATH_MAX];          /* the nodes' directory for images */
    struct lc_job_staging staging;
    struct lc_step_environment clean; /* for our own steps */
    char helper[PATH_MAX];            /* the stage-mpi that was found; "": none */
    struct lc_early_step early;       /* the staging step, while the image is being checked */
    struct lc_staging_report staged;
    struct lc_staging_report before; /* with statistics: counters of nodes that had the image */
    bool is_staged;
    bool was_staged; /* by an earlier run of this job */
    bool is_unseen;  /* no step of this run has looked at the nodes */
    struct lc_staging_choice choice;
    bool stages_itself; /* the first rank on each node does it */
    bool has_janitors;  /* that rank also leaves a process which removes it after the last one */
    bool has_checked;
    bool is_overlay;                  /* 'use' is an overlay that this line has written */
    bool knows_settled, wants_misses; /* settled_lines.c */
    bool knows_used, was_used;        /* unused_image.c */
    bool knows_passed;
    uint64_t passed;   /* operations of this line that managed disks were still asked for */
    uint64_t image_id; /* of 'image', while 'use' is an overlay of it, whoever wrote it; else 0 */
    size_t entries;    /* that the check looked at */
    double check_s, launch_s, end_s;
    struct lc_composed ranks;  /* the line as it is started */
    bool has_prefix;           /* the staged launcher stands before each program */
    struct lc_suspect suspect; /* what is known of deaths of the program while it loaded */
    bool has_started;          /* the line, by lc_line_process_run() */
    int asked;                 /* the signal by which somebody asked us to end; else 0 */
    struct lc_line_signals signals;
    struct lc_cleanup_guard guard;
    struct lc_shared_use share;
    int front_fd; /* 'loadcast', for ranks on this machine to compare with; -1: not needed */
};

/* A message of this run. */
#define lc_job_run_tell(run, kind, ...) lc_message(&(run)->staging.messages, kind, __VA_ARGS__)

/* choose_image.c: set run->image; it is recorded if there is none and the options say so
 * (run->asked as of lc_line_process_run). The launcher is not asked which one it is before an image
 * is known to be there. 0; LC_NO_IMAGE or LC_NO_IMAGE_NEEDED (it would hold nothing) with err
 * filled if there is none, which is no fault; or -1 with err filled. */
enum { LC_NO_IMAGE = 1, LC_NO_IMAGE_NEEDED };
int lc_job_run_find_image(struct lc_job_run *run, struct lc_error *err);
/* Set run->use and the identity: check the image, unless a note says that an earlier run of this
 * job has. In a dry run nothing is checked. 0, or -1 with err filled. */
int lc_job_run_check(struct lc_job_run *run, struct lc_error *err);
/* run.c: called before the check: the staging step starts on the nodes meanwhile. */
void lc_job_run_begin_staging(struct lc_job_run *run);
/* Where changes to an image that cannot be written go. False: lc_check_image decides. */
bool lc_job_run_name_overlay(const struct lc_job_run *run, char out[PATH_MAX]);
/* The identity by which the store knows the image: an overlay has another in each job. */
uint64_t lc_job_run_image_id(const struct lc_job_run *run);
/* Are the programs of the line in the image? Then they can be started from node memory. */
bool lc_job_run_has_program(const struct lc_job_run *run);

/* stored_image.c: find the line's image in the user's store, and count its use. As
 * lc_job_run_find_image. */
int lc_job_run_find_stored(struct lc_job_run *run, struct lc_error *err);
/* Set run->image for a recording: in the store, or, if that cannot be written, in a directory for
 * this run alone. 0, or -1 with err filled. */
int lc_job_run_name_stored(struct lc_job_run *run, struct lc_error *err);
/* It was recorded: describe it, and keep the store below its cap. */
void lc_job_run_keep_stored(struct lc_job_run *run);
/* At the end of a run: how often have ranks still asked managed disks? That is kept with the image,
 * if a node has told, where other things are written to the store as well: for its first use, and
 * when nothing can be learnt. */
void lc_job_run_count_misses(struct lc_job_run *run, const struct lc_staging_report *end);
void lc_job_run_note_misses(const struct lc_job_run *run);
/* learn_misses.c: is what ranks still ask to be added to the image? Only to one in the user's
 * store. */
bool lc_job_run_learns(const struct lc_job_run *run);
/* Add it, in this process. True if the image has changed; err is filled if it could not be. If
 * there was nothing to add, that is noted, as below. */
bool lc_job_run_learn(const struct lc_job_run *run, const struct lc_misses *misses,
                      struct lc_error *err);
/* The same in a process of its own, for which this one waits a limited time; a failure is told. */
bool lc_job_run_learn_beside(const struct lc_job_run *run, const struct lc_misses *misses);
/* settled_lines.c: may there be something to learn from this line? False if it, or many others,
 * have had nothing for the image as it is now; that is kept as a fact, and looked up once. */
bool lc_job_run_wants_misses(struct lc_job_run *run);
/* Nothing was learnt from this line. Only if the above was asked, and said yes. */
void lc_job_run_note_settled(const struct lc_job_run *run);
/* Remove an image of this run alone. */
void lc_job_run_drop_private(const struct lc_job_run *run);

/* suspect_parts.c: did an earlier run of the program die while it loaded? Switch the suspect part
 * off and tell. *is_plain: the line is to run without Loadcast, and its end is to be seen if the
 * state is LC_SUSPECT_TRYING. */
void lc_suspect_parts_begin(struct lc_job_run *run, bool *is_plain);
/* Does the line's end look like that of a program that died: a signal of a fault, 126 or 127? */
bool lc_suspect_parts_has_died(const struct lc_job_run *run, int status);
/* The line has ended; what the nodes tell, or NULL: none was asked, or it ran plainly. */
void lc_suspect_parts_end(struct lc_job_run *run, int status, const struct lc_staging_report *end);
/* A line without an image died while it was watched: remember that for the next one, unless it is
 * known to die anyway. */
void lc_suspect_parts_end_watched(const struct lc_job_run *run, const struct lc_store_key *key,
                                  int status);

/* program_loader.c: can ranks run the program only where this loader is? True if the program lies
 * in the image and is started by it. */
bool lc_job_run_needs_loader(const struct lc_job_run *run, const char *loader);
/* Do the programs, as they are on this machine, name this loader? */
bool lc_job_run_names_loader(const struct lc_job_run *run, const char *loader);
/* Is it an ELF program that names the loader in its first page? */
bool lc_program_names_loader(const char *file, const char *loader);

/* line_nodes.c: how many nodes the line may use; 0 if that cannot be told. *is_here: all of it runs
 * on this machine. */
long lc_line_count_nodes(const struct lc_launch_line *line, bool *is_here);

/* staging_choice.c: set run->choice. 0, or -1 with err filled: what --via asks for is impossible.
 */
int lc_job_run_choose_stager(struct lc_job_run *run, struct lc_error *err);
/* The choice and its reasons, for people. */
void lc_staging_choice_text(const struct lc_staging_choice *choice, struct lc_buf *out);
/* After the line: keep what this run has measured, and what its nodes reported at its 'end', for
 * the choices of later ones. */
void lc_staging_choice_learn(const struct lc_job_run *run, const struct lc_staging_report *end);

/* job_note.c: what an earlier run of the same job found out. True if it still holds. */
bool lc_job_note_read(struct lc_job_run *run, bool *is_staged);
void lc_job_note_write(const struct lc_job_run *run);
/* Which nodes and directory the image is staged on, as text; the caller frees it. */
char *lc_job_run_name_nodes(const struct lc_job_run *run);

/* pilot_line.c: record the image with one task. In a dry run only the command is shown. run->asked
 * as of lc_line_process_run. 0, or -1 with err filled. */
int lc_job_run_record(struct lc_job_run *run, struct lc_error *err);

/* watch_line.c: run the line, which has no image yet, with its first ranks watched, or, in a dry
 * run, tell that. LC_RUN_ENDED; LC_RUN_PLAINLY; or LC_RUN_FAILED: it cannot be watched, and nothing
 * was run or told. */
enum lc_run_ending lc_job_run_watch(struct lc_job_run *run, struct lc_run_outcome *outcome);

/* rank_line.c: must the staged launcher stand before each program, and can it? */
bool lc_job_run_wants_prefix(const struct lc_job_run *run);
/* run->ranks for nodes that are staged, or for ranks that stage by themselves where the nodes are
 * not known before. 0, or -1 with err filled. */
int lc_job_run_compose(struct lc_job_run *run, struct lc_error *err);
int lc_job_run_compose_self(struct lc_job_run *run, struct lc_error *err);

/* dry_run.c: show the steps as lines of a job script; 'cleans': with a last one that cleans up. */
void lc_job_run_show_steps(const struct lc_job_run *run, bool cleans);

/* line_process.c: run a command as a child with our streams, and pass signals on to it. Its status
 * as by wait(), or -1 with err filled. run->asked becomes the signal by which somebody asked us to
 * end meanwhile, or 0. The child is told to end if this process is killed. 'is_last': nobody but
 * the child needs standard input and output any more. */
int lc_line_process_run(struct lc_job_run *run, char *const *argv, char *const *environment,
                        bool is_last, struct lc_error *err);
/* Set the actions that this process needs for SIGCHLD, SIGPIPE and SIGXFSZ, and give back the
 * caller's. */
void lc_line_signals_take(struct lc_line_signals *signals);
void lc_line_signals_restore(const struct lc_line_signals *signals);

/* cleanup_guard.c: from now on the nodes are cleaned, in staging.dir and in 'other_dir' (may be
 * NULL), if this process is killed. */
void lc_cleanup_guard_begin(struct lc_job_run *run, const char *other_dir);
/* All is well: nothing is left to clean. */
void lc_cleanup_guard_end(struct lc_job_run *run);
/* This process could not clean up: the guard does, while this process ends. */
void lc_cleanup_guard_leave(struct lc_job_run *run);
/* Remove the image from the nodes in a process of its own, while this one ends: the lock of
 * shared_use.c goes to it. False: it could not be started. */
bool lc_cleanup_in_background(struct lc_job_run *run);
/* Remove the image from this machine's memory; the guard does if a process still uses it. */
void lc_cleanup_guard_clean_here(struct lc_job_run *run);
/* For a process that may outlive this one: get no signals from the terminal, and hold nobody's pipe
 * or lock open; all descriptors but 'keep' are closed. */
void lc_job_run_detach(int keep);
/* Start a process that may outlive this one, detached. Returns 0 in it, with *fd to answer by; its
 * id in this one, with *fd to read from, to be closed by the caller; -1 on failure. */
pid_t lc_job_run_fork_detached(int *fd);
/* Close all descriptors above standard error but the guard's pipe, the shared lock and front_fd. */
void lc_job_run_close_others(const struct lc_job_run *run);

/* shared_use.c: from now on no other run of the same image outside a job removes it from the nodes.
 */
void lc_shared_use_begin(struct lc_job_run *run);
/* Takes the lock exclusively if this is the only run; otherwise gives it up. */
bool lc_shared_use_is_last(struct lc_shared_use *share);
/* Close our end of a lock that another process holds as well. */
void lc_shared_use_hand_over(struct lc_shared_use *share);
/* In the guard: close the lock that was inherited; later, lock for itself if no other run is left.
 */
void lc_shared_use_release(struct lc_shared_use *share);
bool lc_shared_use_take_over(struct lc_shared_use *share);
void lc_shared_use_end(struct lc_shared_use *share);
/* A process of this user's cleans 'dir' on the nodes behind a run that has returned. The caller
 * ends it. */
void lc_cleaning_begin(struct lc_shared_use *cleaning, const char *dir);

/* nested_launchers.c: add the variables by which launchers that the program starts itself go
 * through 'loadcast run'. None where there is no launcher. */
void lc_nested_add_shims(const struct lc_job_run *run, struct lc_argv *out);

/* run_statistics.c: from what the nodes said after the line (may be NULL), less run->before. */
void lc_job_run_count(const struct lc_job_run *run, const struct lc_staging_report *end,
                      struct lc_run_statistics *out);

/* unused_image.c: did this run stage the image, and has no process on this machine used it? Then
 * the nodes are worth asking; in a job they are not asked otherwise. */
bool lc_job_run_may_be_unused(struct lc_job_run *run);
/* Do all nodes say that no process has ever used the image? Then the likely reason is in 'out'.
 * 'status' is the line's, as by wait(). */
bool lc_job_run_is_unused(struct lc_job_run *run, const struct lc_staging_report *end, int status,
                          struct lc_error *out);

#endif
