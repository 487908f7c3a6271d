/* SPDX-License-Identifier: MIT */
/* doctor.h - does a program behave the same with each part of the client, and if not, with which?
 *
 * The command is run plainly and with the client, then with parts of the client turned off one by
 * one. Exit status, output and the libraries loaded are compared. Nothing here prints. */
#ifndef LC_DOCTOR_DOCTOR_H
#define LC_DOCTOR_DOCTOR_H

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "doctor/libraries.h"
#include "doctor/output_rule.h"
#include "doctor/parts.h"
#include "doctor/timed_run.h"
#include "stage/session_dir.h"
#include "util/cli.h"
#include "util/error.h"

/* What a run is for. */
enum lc_trial_kind {
    LC_TRIAL_RECORD,     /* makes the image */
    LC_TRIAL_PLAIN,      /* without the client */
    LC_TRIAL_EVERYTHING, /* with all parts */
    LC_TRIAL_WITHOUT,    /* without one part */
    LC_TRIAL_NO_PART,    /* from node memory, but with no part of the client */
    LC_TRIAL_CURE,       /* one of the last two, once that is known */
    LC_TRIAL_WATCHED,    /* as a line that has no image yet */
};

/* One run of the command. */
struct lc_trial {
    enum lc_trial_kind kind;
    enum lc_client_part without; /* of LC_TRIAL_WITHOUT */
    bool is_traced;              /* for the libraries; its output is not compared */
    bool is_conditional;         /* only if something differs */
    bool has_run;
    char name[64]; /* "without the import seam" */
    char key[32];  /* for file names: "without-seam" */
    char output[PATH_MAX], errors[PATH_MAX], log[PATH_MAX];
    struct lc_timed_end end;
    struct lc_libraries libraries; /* if traced */
    json_t *counters;              /* as 'loadcast status --json'; NULL: none */
    bool differs;                  /* from the plain runs */
    struct lc_buf difference;
};

enum { LC_TRIALS = 32 };

enum lc_doctor_verdict {
    LC_VERDICT_SAME,
    LC_VERDICT_PART,     /* doctor->part makes the difference */
    LC_VERDICT_SEVERAL,  /* more than one part does, each alone */
    LC_VERDICT_LAUNCH,   /* it differs without any part: staged program or launcher */
    LC_VERDICT_UNSTEADY, /* it differed once, and then not again */
    LC_VERDICT_ITSELF,   /* the last plain run differs as well */
};

struct lc_doctor {
    /* Given: */
    char **argv;
    const char *image; /* NULL: the store's, or one recorded for this */
    const char *dir;   /* for staged images; NULL: as 'exec' chooses */
    struct lc_strings manage;
    double limit_s;
    bool no_libraries;                                 /* do not compare them */
    void (*begin)(void *arg, const struct lc_trial *); /* called before each run; may be NULL */
    void (*done)(void *arg, const struct lc_trial *);
    void *arg;
    /* Found: */
    bool is_launch_line;
    bool records;             /* there is no image yet */
    struct lc_error no_image; /* and why none could be recorded; else "" */
    char found[PATH_MAX];
    char use[PATH_MAX];           /* the image, or an overlay with what changed since */
    char own_dir[PATH_MAX];       /* for outputs and images; removed at the end */
    struct lc_session_dir memory; /* for staged images */
    char input[PATH_MAX];         /* file that is each run's standard input */
    char front[PATH_MAX];         /* of 'loadcast' */
    struct lc_trial trial[LC_TRIALS];
    size_t trials;
    struct lc_output_rule output, errors;
    enum lc_doctor_verdict verdict;
    enum lc_client_part part;
    bool by_libraries;          /* they alone differ */
    struct lc_error no_compare; /* why the libraries were not compared; else "" */
    bool is_unused;             /* no process used the image */
};

/* Find the image and list the runs in doctor->trial. Runs nothing. 0, or -1 with err filled. */
int lc_doctor_plan(struct lc_doctor *doctor, struct lc_error *err);

/* Run them, and find the verdict. 0, or -1 with err filled: it could not be found. Afterwards the
 * files that trials name are still there. */
int lc_doctor_run(struct lc_doctor *doctor, struct lc_error *err);

/* Remove all files and free all memory. */
void lc_doctor_end(struct lc_doctor *doctor);

/* How a run ended, for people: "exit status 0", "killed by signal 11 (Segmentation fault)". */
void lc_trial_ending(const struct lc_trial *trial, char *out, size_t size);

/* The verdict's first difference: the trial that shows it, or NULL. */
const struct lc_trial *lc_doctor_differing(const struct lc_doctor *doctor);

/* The first plain run, if it was made. */
const struct lc_trial *lc_doctor_plain(const struct lc_doctor *doctor);

/* Does Loadcast make a difference, as far as was found out? */
bool lc_verdict_is_different(enum lc_doctor_verdict verdict);

/* The verdict in a word, for JSON. */
const char *lc_verdict_key(enum lc_doctor_verdict verdict);

#endif
