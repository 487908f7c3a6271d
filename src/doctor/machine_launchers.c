/* SPDX-License-Identifier: MIT */
/* machine_launchers.c - launchers, their kinds, and the helpers that stage over their MPI */
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/machine_private.h"
#include "launch/launch_line.h"
#include "launch/mpi_step.h"
#include "launch/run.h"
#include "launch/step.h"
#include "util/own_path.h"
#include "util/path.h"

static bool is_found(const char *name, char path[PATH_MAX])
{
    return lc_path_find_program(path, PATH_MAX, name, NULL) == 0;
}

/* Is there a stage-mpi for this kind of MPI, and if not, how is it made? */
static void helper_check(struct lc_machine_findings *m, enum lc_launcher launcher, const char *kind)
{
    char own[PATH_MAX] = "", helper[PATH_MAX];
    struct lc_error ignored;

    if (lc_own_directory(own, &ignored) < 0)
        return;
    const struct lc_job_staging staging = {.origin = own};
    if (lc_mpi_step_find_helper(&staging, launcher, helper)) {
        lc_machine_add(m, LC_FINDING_OK, "MPI helper", "%s: '%s' stages over MPI", kind, helper);
        return;
    }
    struct lc_finding *f =
        lc_machine_add(m, LC_FINDING_NOTE, "MPI helper",
                       "none for %s: nodes read images from the shared file system", kind);
    lc_finding_advise(f,
                      "mpicc -O2 -o stage-mpi %.300s/stage-mpi.c, then LOADCAST_STAGE_MPI or "
                      "--helper names it",
                      own);
}

/* mpiexec and mpirun: which MPI? The kind, or LC_LAUNCHER_NONE. */
static enum lc_launcher mpi_check(struct lc_machine_findings *m, const char *name, const char *path)
{
    enum lc_launcher launcher = lc_launcher_flavour(path);

    if (launcher == LC_LAUNCHER_NONE) {
        struct lc_finding *f =
            lc_machine_add(m, LC_FINDING_NOTE, name, "'%s' is of no MPI that is known", path);
        lc_finding_advise(f,
                          "ranks get the client by variables only; try: loadcast run --dry-run "
                          "-- %s ...",
                          name);
    } else {
        lc_machine_add(m, LC_FINDING_OK, name, "'%s' is %s", path, lc_launcher_name(launcher));
    }
    return launcher;
}

static void no_slurm_tell(struct lc_machine_findings *m)
{
    struct lc_finding *f =
        lc_machine_add(m, LC_FINDING_OK, "srun", "not in PATH: no jobs of Slurm from here");

    lc_finding_advise(f, "nothing, unless this machine belongs to a Slurm cluster: then load its "
                         "module");
}

static void no_helper_tell(struct lc_machine_findings *m)
{
    struct lc_finding *f = lc_machine_add(m, LC_FINDING_OK, "MPI helper",
                                          "no launcher of a known MPI in PATH could use one");

    lc_finding_advise(f, "for jobs load the module of your MPI, and try again");
}

static void slurm_check(struct lc_machine_findings *m, const char *path)
{
    char text[256];
    int status = lc_step_ask(path, "--version", NULL, text, sizeof(text));

    text[strcspn(text, "\n")] = '\0';
    if (status == 0 && strncmp(text, "slurm", 5) == 0) {
        lc_machine_add(m, LC_FINDING_OK, "srun", "'%s' is of %s", path, text);
        return;
    }
    struct lc_finding *f = lc_machine_add(m, LC_FINDING_NOTE, "srun", "'%s --version' fails: %s",
                                          path, text[0] ? text : "it says nothing");
    lc_finding_advise(f, "nothing, if this machine belongs to no Slurm cluster; else look there");
}

void lc_machine_check_launchers(struct lc_machine_findings *m)
{
    static const char *const names[] = {"mpiexec", "mpirun"};
    char path[PATH_MAX];
    enum lc_launcher kinds[2] = {LC_LAUNCHER_NONE, LC_LAUNCHER_NONE};

    lc_nested_leave_outer(); /* else our stand-ins would be found */
    bool has_srun = is_found("srun", path), any = has_srun;

    if (has_srun)
        slurm_check(m, path);
    else
        no_slurm_tell(m);
    for (int i = 0; i < 2; i++)
        if (is_found(names[i], path)) {
            kinds[i] = mpi_check(m, names[i], path);
            any = true;
        }
    if (kinds[0] != LC_LAUNCHER_NONE)
        helper_check(m, kinds[0], lc_launcher_name(kinds[0]));
    if (kinds[1] != LC_LAUNCHER_NONE && kinds[1] != kinds[0])
        helper_check(m, kinds[1], lc_launcher_name(kinds[1]));
    if (has_srun && kinds[0] == LC_LAUNCHER_NONE && kinds[1] == LC_LAUNCHER_NONE)
        helper_check(m, LC_LAUNCHER_SRUN, "srun");
    if (!has_srun && kinds[0] == LC_LAUNCHER_NONE && kinds[1] == LC_LAUNCHER_NONE)
        no_helper_tell(m);
    if (any)
        return;
    struct lc_finding *f =
        lc_machine_add(m, LC_FINDING_NOTE, "launchers", "no srun, mpiexec or mpirun is in PATH");
    lc_finding_advise(f, "for jobs load the module of your MPI; a program on this machine needs "
                         "none: loadcast run -- PROGRAM");
}
