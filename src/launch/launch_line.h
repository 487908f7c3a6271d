/* SPDX-License-Identifier: MIT */
/* launch_line.h - what does a launch line start, and where?
 *
 * A line is understood if every option before the program is in the launcher's table
 * (launcher_options.c); nothing is guessed. A line that is not understood can still be run:
 * variables reach its ranks without knowing where the program begins. */
#ifndef LC_LAUNCH_LAUNCH_LINE_H
#define LC_LAUNCH_LAUNCH_LINE_H

#include <stdbool.h>

enum lc_launcher {
    LC_LAUNCHER_NONE, /* a plain command, or an unknown launcher */
    LC_LAUNCHER_SRUN,
    LC_LAUNCHER_OPENMPI,
    LC_LAUNCHER_HYDRA, /* MPICH, Intel MPI, MVAPICH2 */
    LC_LAUNCHER_PALS,  /* HPE Cray */
    LC_LAUNCHER_FLUX,
    LC_LAUNCHER_JSRUN, /* LSF */
    LC_LAUNCHER_APRUN,
    LC_LAUNCHERS,
};

enum { LC_LAUNCH_LINE_PROGRAMS = 16, LC_LAUNCH_LINE_WHY = 160 };

struct lc_launch_line {
    char *const *argv; /* borrowed */
    enum lc_launcher launcher;
    int at;          /* index of the launcher: 1 in "time srun ..." */
    int options;     /* index of its first option: 2 in "flux run ..." */
    bool understood; /* else 'why' says why not */
    char why[LC_LAUNCH_LINE_WHY];
    int program[LC_LAUNCH_LINE_PROGRAMS]; /* words that are programs: several with colons, none with
                                      --multi-prog and the like */
    int programs;
    int part[LC_LAUNCH_LINE_PROGRAMS]; /* where the options of each part begin; the first is
                                          'options' */
    int parts;
    bool drops_environment; /* --export=NONE, env -i: what we set does not reach the program */
    int dropped_by;         /* index of the word that does it; -1: SLURM_EXPORT_ENV of the caller */
    int own_export;         /* srun: index of --export=LIST, or of LIST; else 0 */
    bool has_x;             /* OpenMPI: -x is used, which forbids the environment list */
};

/* Tells which implementation a program named "mpiexec" or "mpirun" is. */
typedef enum lc_launcher lc_launcher_ask(const char *program);

/* Parse argv (ends with NULL, not empty). Never fails: see 'understood' and 'why'. 'ask' may be
 * NULL: then lc_launcher_flavour() is used. */
void lc_launch_line_parse(struct lc_launch_line *line, char *const *argv, lc_launcher_ask *ask);

/* Tell the implementation by the name of the program that PROGRAM is a link to, else by the output
 * of "PROGRAM --version", which is kept for later jobs. */
enum lc_launcher lc_launcher_flavour(const char *program);

const char *lc_launcher_name(enum lc_launcher launcher);

#endif
