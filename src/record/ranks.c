/* SPDX-License-Identifier: MIT */
/* ranks.c - several ranks record one image */
#include "record/ranks.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/human.h"
#include "util/private_dir.h"

enum { SIGN_OF_LIFE_S = 15, ATTEMPTS = 5 };

static bool get_number(const char *name, long *out)
{
    const char *text = getenv(name);

    return text && lc_parse_long(name, text, 0, 100000000, out, NULL) == 0;
}

void lc_ranks_detect(struct lc_ranks *ranks)
{
    static const char *const names[][2] = {
        {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
        {"PMI_RANK", "PMI_SIZE"},
        {"PALS_RANKID", "PALS_SIZE"},
        {"JSM_NAMESPACE_RANK", "JSM_NAMESPACE_SIZE"},
        {"FLUX_TASK_RANK", "FLUX_JOB_SIZE"},
        {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}, /* by srun only, not in a batch script */
    };
    static const char *const jobs[] = {"OMPI_MCA_ess_base_jobid", "PMIX_NAMESPACE", "PMI_JOBID",
                                       "FLUX_JOB_ID"};

    ranks->rank = 0;
    ranks->size = 1;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (get_number(names[i][0], &ranks->rank) && get_number(names[i][1], &ranks->size))
            break;
    if (ranks->size < 1 || ranks->rank >= ranks->size)
        ranks->rank = 0, ranks->size = 1;
    snprintf(ranks->job, sizeof(ranks->job), "job");
    for (size_t i = 0; i < sizeof(jobs) / sizeof(*jobs); i++)
        if (getenv(jobs[i]) && *getenv(jobs[i])) {
            snprintf(ranks->job, sizeof(ranks->job), "%s", getenv(jobs[i]));
            break;
        }
    if (strcmp(ranks->job, "job") == 0 && getenv("SLURM_JOB_ID"))
        snprintf(ranks->job, sizeof(ranks->job), "%s.%s", getenv("SLURM_JOB_ID"),
                 getenv("SLURM_STEP_ID") ? getenv("SLURM_STEP_ID") : "");
    for (char *p = ranks->job; *p; p++)
        if (*p == '/')
            *p = '_';
}

int lc_ranks_leave_part(struct lc_ranks *ranks, const char *image, const struct lc_seen *seen,
                        struct lc_error *err)
{
    char file[sizeof(ranks->dir) + 64];
    int n = snprintf(ranks->dir, sizeof(ranks->dir), "%s.parts-%s", image, ranks->job);

    if (n < 0 || (size_t)n >= sizeof(ranks->dir))
        return lc_error_set(err, "'%s' is too long a path", image);
    snprintf(file, sizeof(file), "%s/%08ld.part", ranks->dir, ranks->rank);
    for (int i = 0; i < ATTEMPTS; i++) { /* a packer may be clearing up just now */
        if (lc_private_dir_make(ranks->dir, "write the image to a directory of your own", err) < 0)
            return -1;
        if (lc_seen_save(seen, file, err) == 0)
            return 0;
        if (errno != ENOENT)
            break;
    }
    return -1;
}

/* How many parts are there, and which is the lowest rank? -1 when the directory is gone. */
static long count_parts(const struct lc_ranks *ranks, long *lowest)
{
    DIR *dir = opendir(ranks->dir);
    struct dirent *d;
    long count = 0, rank;
    int end;

    if (!dir)
        return -1;
    *lowest = ranks->size;
    while ((d = readdir(dir)))
        if (sscanf(d->d_name, "%8ld.part%n", &rank, &end) == 1 && !d->d_name[end]) {
            count++;
            if (rank < *lowest)
                *lowest = rank;
        }
    closedir(dir);
    return count;
}

static void sign_file(const struct lc_ranks *ranks, char *out, size_t room)
{
    snprintf(out, room, "%s/packing", ranks->dir);
}

void lc_ranks_alive(const struct lc_ranks *ranks)
{
    char file[sizeof(ranks->dir) + 64];

    sign_file(ranks, file, sizeof(file));
    int fd = open(file, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return;
    futimens(fd, NULL);
    close(fd);
}

/* The sign of life as a number that moves while somebody packs; 0: nobody does. */
static long long life(const struct lc_ranks *ranks)
{
    char file[sizeof(ranks->dir) + 64];
    struct stat st;

    sign_file(ranks, file, sizeof(file));
    return stat(file, &st) < 0
               ? 0
               : (long long)st.st_mtim.tv_sec * 1000 + st.st_mtim.tv_nsec / 1000000 + 1;
}

static double seconds(void)
{
    return (double)lc_clock_ns() / 1e9;
}

/* Ranks after the lowest wait longer: each gives those before it a turn. */
static double patience(const struct lc_ranks *ranks, long lowest, long present)
{
    if (ranks->rank == lowest)
        return present == ranks->size ? 0 : ranks->patience_s;
    return ranks->patience_s + SIGN_OF_LIFE_S + (double)(ranks->rank - lowest);
}

enum lc_ranks_turn lc_ranks_wait(struct lc_ranks *ranks)
{
    double since = seconds();
    long before = -1, lowest;
    long long sign = -1;

    for (;;) {
        long present = count_parts(ranks, &lowest);
        long long now = life(ranks);
        if (present < 0)
            return LC_RANKS_DONE; /* the packer has cleared up */
        if (present != before || now != sign) {
            before = present;
            sign = now;
            since = seconds();
        }
        ranks->found = present;
        double limit = now ? SIGN_OF_LIFE_S + (double)(ranks->rank - lowest)
                           : patience(ranks, lowest, present);
        if (seconds() - since >= limit) {
            lc_ranks_alive(ranks);
            return LC_RANKS_PACK;
        }
        usleep(50000);
    }
}

int lc_ranks_unite(struct lc_ranks *ranks, struct lc_seen *seen, struct lc_error *err)
{
    DIR *dir = opendir(ranks->dir);
    struct dirent *d;

    if (!dir)
        return lc_error_errno(err, "cannot read '%s'", ranks->dir);
    ranks->taken = 0;
    while ((d = readdir(dir))) {
        char file[sizeof(ranks->dir) + 300];
        size_t n = strlen(d->d_name);
        if (n < 5 || strcmp(d->d_name + n - 5, ".part") != 0)
            continue;
        snprintf(file, sizeof(file), "%s/%s", ranks->dir, d->d_name);
        void **at = lc_map_at(&ranks->parts, file);
        if (!at)
            break;
        *at = ranks;
        if (lc_seen_load(seen, file, NULL) == 0)
            ranks->taken++;
    }
    closedir(dir);
    return 0;
}

/* A part that came too late stays: its rank will see that it is alone, and add it. */
void lc_ranks_finish(struct lc_ranks *ranks)
{
    char file[sizeof(ranks->dir) + 64];

    for (size_t i = 0; i < ranks->parts.count; i++) {
        char bindings[sizeof(ranks->dir) + 320];
        snprintf(bindings, sizeof(bindings), "%s%s", ranks->parts.entry[i].key, LC_SEEN_BINDINGS);
        unlink(bindings);
        unlink(ranks->parts.entry[i].key);
    }
    lc_map_free(&ranks->parts, NULL);
    sign_file(ranks, file, sizeof(file));
    unlink(file);
    rmdir(ranks->dir);
}
