/* SPDX-License-Identifier: MIT */
/* mpi_step.c - the staging step that sends the image over MPI, also begun before the image is known
 */
#include "launch/mpi_step.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launch/node_package.h"
#include "launch/node_step.h"
#include "store/facts.h"
#include "util/io.h"

/* Can this srun start programs of an Open MPI? */
static bool has_pmix(const struct lc_job_staging *staging)
{
    char text[2048], name[LC_FACT_NAME], known[8] = "";
    bool is_named = lc_launcher_fact_name(name, "srun-pmix", "srun", "");

    if (is_named && lc_store_fact_read(name, known, sizeof(known)) && known[0])
        return strcmp(known, "yes") == 0;
    lc_step_ask("srun", "--mpi=list", staging->clean ? staging->clean->changes.item : NULL, text,
                sizeof(text));
    bool has = strstr(text, "pmix");
    if (is_named && has)
        lc_store_fact_write(name, "yes");
    return has;
}

bool lc_mpi_step_find_helper(const struct lc_job_staging *staging, enum lc_launcher launcher,
                             char out[PATH_MAX])
{
    const char *given = staging->helper ? staging->helper : getenv("LOADCAST_STAGE_MPI");
    static const char *const names[LC_LAUNCHERS] = {
        [LC_LAUNCHER_SRUN] = "stage-mpi.openmpi",
        [LC_LAUNCHER_OPENMPI] = "stage-mpi.openmpi",
        [LC_LAUNCHER_HYDRA] = "stage-mpi.mpich",
    };

    if (given)
        return snprintf(out, PATH_MAX, "%s", given) < PATH_MAX && access(out, X_OK) == 0;
    snprintf(out, PATH_MAX, "%s/stage-mpi", staging->origin); /* built for the MPI of this system */
    if (access(out, X_OK) == 0)
        return true;
    if (!names[launcher])
        return false;
    snprintf(out, PATH_MAX, "%s/%s", staging->origin, names[launcher]);
    return access(out, X_OK) == 0;
}

bool lc_mpi_step_is_possible(const struct lc_job_staging *staging, enum lc_launcher launcher)
{
    char helper[PATH_MAX];

    return launcher != LC_LAUNCHER_NONE && lc_mpi_step_find_helper(staging, launcher, helper) &&
           (launcher != LC_LAUNCHER_SRUN || has_pmix(staging));
}

static void srun_options_add(struct lc_argv *words, const char *helper, bool is_early)
{
    lc_argv_add(words, strstr(helper, "mpich") ? "--mpi=pmi2" : "--mpi=pmix");
    lc_argv_add(words, "--kill-on-bad-exit=1"); /* the others would wait for ever */
    if (is_early)
        lc_argv_add(words, "--input=0"); /* only the first process reads */
}

int lc_mpi_step_add(const struct lc_job_staging *staging, struct lc_argv *words, const char *image,
                    bool is_early, enum lc_launcher launcher, struct lc_error *err)
{
    char helper[PATH_MAX], package[PATH_MAX];

    if (!lc_mpi_step_find_helper(staging, launcher, helper)) {
        errno = ENOENT;
        return lc_error_set(err,
                            "no stage-mpi for %s; build it with its mpicc: mpicc -O2 -o stage-mpi "
                            "%s/stage-mpi.c, then --helper ./stage-mpi",
                            lc_launcher_name(launcher), staging->origin);
    }
    if (launcher == LC_LAUNCHER_SRUN)
        srun_options_add(words, helper, is_early);
    lc_node_package_path(staging, false, package);
    if (lc_node_package_add_program(words, staging->plain_shell, helper, staging->dir, "stage-mpi",
                                    err) < 0)
        return -1;
    lc_argv_add(words, package);
    lc_argv_add(words, image);
    lc_node_step_add_options(staging, words);
    if (is_early)
        lc_argv_add(words, "--early");
    return 0;
}

void lc_early_step_begin(const struct lc_job_staging *staging, const struct lc_argv *start,
                         enum lc_launcher launcher, struct lc_early_step *early)
{
    char image[PATH_MAX];
    struct lc_buf said = {0}; /* none is kept now; the step gets a file for it */
    struct lc_error ignored;
    struct lc_step step = {.clean = staging->clean ? staging->clean->changes.item : NULL,
                           .said = &said};

    *early = (struct lc_early_step){0};
    if (start->count > 0)
        lc_argv_add_all(&early->step.words, start->item);
    int rc = realpath(staging->image, image)
                 ? lc_mpi_step_add(staging, &early->step.words, image, true, launcher, &ignored)
                 : -1;
    lc_step_environment_add(&early->step.environment);
    step.argv = early->step.words.item;
    step.environment = early->step.environment.item;
    if (rc < 0 || early->step.words.failed ||
        lc_step_start(&step, true, &early->process, &ignored) < 0)
        lc_composed_free(&early->step);
    lc_buf_free(&said);
}

bool lc_early_step_is_begun(const struct lc_early_step *early)
{
    return early && early->process.pid > 0;
}

int lc_early_step_go(const struct lc_job_staging *staging, const char *image,
                     struct lc_staging_report *report, struct lc_error *err)
{
    struct lc_early_step *early = staging->early;
    char verdict[PATH_MAX + 24];
    int n = snprintf(verdict, sizeof(verdict), "%016" PRIx64 " %s", staging->id, image);

    /* If it fails, the step has ended, and says why. */
    if (lc_write_all(early->process.input, verdict, (size_t)n + 1) == 0) {
        close(early->process.input);
        early->process.input = -1;
    }
    int rc = lc_node_step_follow(staging, &early->step, &early->process, true, report, err);
    int saved = errno;
    lc_early_step_end(early);
    errno = saved;
    return rc;
}

void lc_early_step_end(struct lc_early_step *early)
{
    lc_step_abandon(&early->process);
    lc_composed_free(&early->step);
}
