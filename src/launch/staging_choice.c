/* SPDX-License-Identifier: MIT */
/* staging_choice.c - who stages: this process, the ranks themselves, or a step of its own
 *
 * A step costs a start of the launcher, and another one to clean up. Ranks that stage cost nothing
 * but that each node reads the image from the shared disk. So a step pays where nodes are many or
 * the image is large: by then the disk needs longer than two starts of the launcher. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "launch/job_run.h"
#include "stage/place.h"
#include "stage/users.h"
#include "store/facts.h"
#include "util/human.h"

/* Until earlier jobs have told: starting a launcher on a few nodes, what a shared disk delivers to
 * all nodes together, and to one. A message of the broadcast passes a node at the last rate, too.
 */
#define STEP_S       0.3
#define DISK_BYTES_S 1e9
#define NODE_BYTES_S 5e8

enum { MEASURABLE_BYTES = 8 << 20 }; /* reading less than this tells nothing of a disk's rate */

static void __attribute__((format(printf, 3, 4)))
choice_set(struct lc_staging_choice *choice, enum lc_who_stages who, const char *why, ...)
{
    va_list args;

    choice->who = who;
    va_start(args, why);
    vsnprintf(choice->why, sizeof(choice->why), why, args);
    va_end(args);
}

/* Why the ranks cannot stage; NULL if they can. */
static const char *ranks_obstacle(const struct lc_job_run *run)
{
    const struct lc_launch_line *line = &run->line;
    bool by_us = line->launcher == LC_LAUNCHER_SRUN || line->launcher == LC_LAUNCHER_OPENMPI ||
                 line->launcher == LC_LAUNCHER_HYDRA;

    if (!by_us)
        return "not tried with this launcher";
    if (!line->understood || line->programs == 0)
        return line->why[0] ? line->why : "the program is not on the line";
    if (run->options->wrap == LC_WRAP_NEVER)
        return "--wrap never: nothing may stand before the program";
    if (line->drops_environment && run->options->wrap != LC_WRAP_ALWAYS)
        return "the line drops the environment";
    if (line->launcher == LC_LAUNCHER_OPENMPI && getenv("OMPI_MCA_mca_base_env_list"))
        return "OMPI_MCA_mca_base_env_list is set, which forbids -x";
    return NULL;
}

/* May this process stage, if all of the line runs on this machine? What a launcher starts is
 * started through the line that looks whose the launcher is: nobody has looked at other nodes. */
static bool can_stage_here(const struct lc_job_run *run)
{
    const struct lc_launch_line *line = &run->line;

    return line->launcher == LC_LAUNCHER_NONE ||
           (line->understood && line->programs > 0 && run->options->wrap != LC_WRAP_NEVER &&
            (!line->drops_environment || run->options->wrap == LC_WRAP_ALWAYS));
}

/* What earlier jobs measured, within reason; else 'unknown'. */
static double fact_number(const char *name, double least, double most, double unknown)
{
    char text[40];

    if (!lc_store_fact_read(name, text, sizeof(text)))
        return unknown;
    double value = strtod(text, NULL);
    return value >= least && value <= most ? value : unknown;
}

static void step_fact_name(const struct lc_job_run *run, char *out, size_t size)
{
    snprintf(out, size, "step-s-%d", (int)run->line.launcher);
}

/* By the type of its file system. */
static void disk_fact_name(const char *file, char *out, size_t size)
{
    struct statfs fs;
    bool is_known = statfs(file, &fs) == 0;

    snprintf(out, size, "disk-bytes-s-%lx", is_known ? (unsigned long)fs.f_type & 0xffffffff : 0ul);
}

static void estimate(struct lc_job_run *run, bool cleans)
{
    struct lc_staging_choice *choice = &run->choice;
    char step[LC_STORE_FACT_NAME], disk[LC_STORE_FACT_NAME];
    double bytes = (double)choice->bytes, nodes = (double)choice->nodes;

    step_fact_name(run, step, sizeof(step));
    disk_fact_name(run->use, disk, sizeof(disk));
    double disk_bytes_s = fact_number(disk, 1e6, 1e12, DISK_BYTES_S);
    double by_all = bytes * nodes / disk_bytes_s, by_one = bytes / NODE_BYTES_S;
    choice->ranks_s = by_all > by_one ? by_all : by_one;
    choice->step_s =
        (cleans ? 2 : 1) * fact_number(step, 0.01, 600, STEP_S) + bytes / disk_bytes_s + by_one;
}

/* New values count a quarter: one slow job must not decide for all later ones. */
static void fact_learn(const char *name, double value)
{
    char text[40];
    double old = fact_number(name, 1e-6, 1e15, value);

    snprintf(text, sizeof(text), "%.6g", 0.75 * old + 0.25 * value);
    lc_store_fact_write(name, text);
}

/* A disk that a few nodes did not keep busy delivers at least what they read: that may be more than
 * was known, and is no reason to believe in less. */
static void disk_learn(const struct lc_job_run *run, uint64_t bytes, long nodes, double seconds)
{
    char name[LC_STORE_FACT_NAME];

    if (bytes <= MEASURABLE_BYTES || seconds <= 0 || nodes <= 0 || lc_stage_is_local(run->use))
        return;
    disk_fact_name(run->use, name, sizeof(name));
    double rate = (double)bytes * (double)nodes / seconds;
    bool was_busy = seconds > 2 * (double)bytes / NODE_BYTES_S;
    if (was_busy || rate > fact_number(name, 1e6, 1e12, DISK_BYTES_S))
        fact_learn(name, rate);
}

/* Of the ranks that staged; 0 if no node has told. */
static double slowest_node_s(const struct lc_staging_report *end)
{
    double slowest = 0;
    json_t *node;
    size_t i;

    json_array_foreach(end->nodes, i, node)
    {
        double seconds = json_real_value(json_object_get(node, "staging_s"));
        slowest = seconds > slowest ? seconds : slowest;
    }
    return slowest;
}

void lc_staging_choice_learn(const struct lc_job_run *run, const struct lc_staging_report *end)
{
    char name[LC_STORE_FACT_NAME];

    if (run->choice.who == LC_STAGE_BY_STEP && run->line.launcher != LC_LAUNCHER_NONE &&
        !run->staging.with && run->end_s > 0) {
        step_fact_name(run, name, sizeof(name));
        fact_learn(name, run->end_s);
    }
    if (run->choice.who == LC_STAGE_HERE && run->staged.fresh > 0)
        disk_learn(run, run->staged.wire, 1, run->staged.seconds);
    if (run->choice.who == LC_STAGE_BY_RANKS)
        disk_learn(run, run->choice.bytes, run->choice.nodes, slowest_node_s(end));
}

static void choose_by_cost(struct lc_job_run *run, bool cleans)
{
    struct lc_staging_choice *choice = &run->choice;

    estimate(run, cleans);
    if (choice->ranks_s <= choice->step_s)
        choice_set(choice, LC_STAGE_BY_RANKS, "that costs less");
    else
        choice_set(choice, LC_STAGE_BY_STEP, "that costs less");
}

static void choose_freely(struct lc_job_run *run, const char *obstacle)
{
    struct lc_staging_choice *choice = &run->choice;
    bool is_here, is_srun = run->line.launcher == LC_LAUNCHER_SRUN;
    char job[64];

    choice->nodes = lc_line_count_nodes(&run->line, &is_here);
    lc_users_job(job, sizeof(job));
    if (is_here && can_stage_here(run))
        choice_set(choice, LC_STAGE_HERE, "all of it runs on this machine");
    else if (!obstacle && is_srun && choice->nodes == 0)
        choice_set(choice, LC_STAGE_BY_RANKS,
                   "outside an allocation srun chooses the nodes when it starts");
    else if (obstacle || choice->nodes == 0)
        choice_set(choice, LC_STAGE_BY_STEP, "%s",
                   obstacle ? obstacle : "it cannot be told how many nodes there are");
    else if (run->was_staged)
        choice_set(choice, LC_STAGE_BY_STEP, "an earlier run of this job has staged");
    else if (lc_stage_is_local(run->use))
        choice_set(choice, LC_STAGE_BY_STEP,
                   "'%.80s' lies on a disk of this machine, which other nodes may not see",
                   run->use);
    else
        choose_by_cost(run, !job[0] && !run->options->keep);
}

static int fail_ranks(const struct lc_job_run *run, const char *why, struct lc_error *err)
{
    errno = EINVAL;
    if (run->line.launcher == LC_LAUNCHER_SRUN && run->options->staging.via != LC_VIA_RANKS)
        return lc_error_set(err, "cannot tell where the program begins (%s); use salloc or sbatch",
                            why);
    return lc_error_set(err, "its ranks cannot stage it: %s; try without --via ranks", why);
}

/* What each node reads, or gets. */
static uint64_t image_bytes(const struct lc_job_run *run)
{
    struct stat use, base;
    uint64_t bytes = stat(run->use, &use) == 0 ? (uint64_t)use.st_size : 0;

    return bytes + (run->image_id && stat(run->image, &base) == 0 ? (uint64_t)base.st_size : 0);
}

int lc_job_run_choose_stager(struct lc_job_run *run, struct lc_error *err)
{
    const struct lc_job_staging *staging = &run->staging;
    const char *obstacle = ranks_obstacle(run);
    bool ignored;

    run->choice = (struct lc_staging_choice){.bytes = image_bytes(run)};
    if (staging->with)
        choice_set(&run->choice, *staging->with ? LC_STAGE_BY_STEP : LC_STAGE_HERE,
                   "--with '%.80s'", staging->with);
    else if (staging->via == LC_VIA_RANKS) {
        run->choice.nodes = lc_line_count_nodes(&run->line, &ignored);
        choice_set(&run->choice, LC_STAGE_BY_RANKS, "--via ranks");
        if (obstacle)
            return fail_ranks(run, obstacle, err);
    } else if (staging->via != LC_VIA_AUTO)
        choice_set(&run->choice, LC_STAGE_BY_STEP, "--via %s", lc_via_names[staging->via]);
    else
        choose_freely(run, obstacle);
    /* Outside an allocation there is no other way. */
    if (run->choice.who == LC_STAGE_BY_STEP && !staging->with &&
        run->line.launcher == LC_LAUNCHER_SRUN && lc_compose_slurm_nodes() == 0) {
        if (obstacle)
            return fail_ranks(run, obstacle, err);
        run->choice.who = LC_STAGE_BY_RANKS;
    }
    return 0;
}

void lc_staging_choice_text(const struct lc_staging_choice *choice, struct lc_buf *out)
{
    static const char *const who[] = {"a step of its own", "loadcast run itself",
                                      "the first rank on each node"};

    lc_buf_printf(out, "%s stages: %s", who[choice->who], choice->why);
    if (choice->step_s > 0)
        lc_buf_printf(out, " (%s, %ld node%s: by ranks %s, by a step %s)",
                      lc_human_bytes(choice->bytes).s, choice->nodes, choice->nodes == 1 ? "" : "s",
                      lc_human_seconds(choice->ranks_s).s, lc_human_seconds(choice->step_s).s);
}
