/* SPDX-License-Identifier: MIT */
/* model.h - one job at one width on one machine, plain and with each remedy */
#ifndef LC_PREDICT_MODEL_H
#define LC_PREDICT_MODEL_H

#include "predict/job.h"
#include "predict/machine.h"

enum lc_remedy {
    LC_REMEDY_NONE,     /* plain: every rank asks the file system */
    LC_REMEDY_COPY,     /* each node reads a tarball and unpacks it into its memory */
    LC_REMEDY_BCAST,    /* one node reads it, MPI_Bcast, each unpacks it (python-mpi-bcast) */
    LC_REMEDY_SQUASHFS, /* each node mounts one file of the shared file system */
    LC_REMEDY_RANKS,    /* Loadcast; the first rank of each node reads the image: no step before */
    LC_REMEDY_FS,       /* Loadcast; a step on each node reads it */
    LC_REMEDY_SBCAST,   /* Loadcast; by Slurm's sbcast */
    LC_REMEDY_MPI,      /* Loadcast; along the chain of stage-mpi */
    LC_REMEDIES,
};

const char *lc_remedy_name(enum lc_remedy remedy); /* "plain", "copy", ... */

/* Seconds, of the rank that is ready last. */
struct lc_estimate {
    double launch_s, check_s, stage_s, start_s; /* parts of the worst rank's time */
    double worst_s, median_s;                   /* all of it */
    double requests;                            /* of the whole job */
    double requests_per_s;                      /* that the metadata servers answer meanwhile */
    double bystander_s;                         /* another user's stat() meanwhile */
};

/* 'ranks' is at least 1. */
struct lc_estimate lc_model_estimate(const struct lc_machine_model *machine,
                                     const struct lc_job *job, enum lc_remedy remedy, double ranks);

double lc_model_nodes(const struct lc_machine_model *machine, double ranks);

#endif
