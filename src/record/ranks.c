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

enum { HEARTBEAT_S = 15 /* without one the packer is taken for dead */, ATTEMPTS = 5 };

static bool env_get_number(const char *name, long *out)
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
        if (env_get_number(names[i][0], &ranks->rank) && env_get_number(names[i][1], &ranks->size))
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

static bool dir_name(struct lc_ranks *ranks, const char *image)
{
    int n = snprintf(ranks->dir, sizeof(ranks->dir), "%s.parts-%s", image, ranks->job);

    return n >= 0 && (size_t)n < sizeof(ranks->dir);
}

bool lc_ranks_has_parts(struct lc_ranks *ranks, const char *image)
{
    struct stat st;

    return dir_name(ranks, image) && lstat(ranks->dir, &st) == 0 && S_ISDIR(st.st_mode) &&
           st.st_uid == geteuid();
}

int lc_ranks_leave_part(struct lc_ranks *ranks, const char *image, const struct lc_seen *seen,
                        struct lc_error *err)
{
    char file[sizeof(ranks->dir) + 64];

    if (!dir_name(ranks, image))
        return lc_error_set(err, "'%s' is too long a path", image);
    snprintf(file, sizeof(file), "%s/%08ld.part", ranks->dir, ranks->rank);
    for (int i = 0; i < ATTEMPTS; i++) { /* a packer may be removing the directory at this moment */
        if (lc_private_dir_make(ranks->dir, "write the image to a directory of your own", err) < 0)
            return -1;
        if (lc_seen_save(seen, file, err) == 0)
            return 0;
        if (errno != ENOENT)
            break;
    }
    return -1;
}

/* The number of parts, and the lowest rank among them; -1 if the directory is gone. */
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

static void heartbeat_file(const struct lc_ranks *ranks, char *out, size_t room)
{
    snprintf(out, room, "%s/packing", ranks->dir);
}

void lc_ranks_heartbeat(const struct lc_ranks *ranks)
{
    char file[sizeof(ranks->dir) + 64];

    heartbeat_file(ranks, file, sizeof(file));
    int fd = open(file, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return;
    futimens(fd, NULL);
    close(fd);
}

/* The time of the last heartbeat in milliseconds, 0 if no rank is packing. Only compared for
 * equality: the file server's clock may differ from ours. */
static long long heartbeat_read(const struct lc_ranks *ranks)
{
    char file[sizeof(ranks->dir) + 64];
    struct stat st;

    heartbeat_file(ranks, file, sizeof(file));
    return stat(file, &st) < 0
               ? 0
               : (long long)st.st_mtim.tv_sec * 1000 + st.st_mtim.tv_nsec / 1000000 + 1;
}

static double now_s(void)
{
    return (double)lc_clock_ns() / 1e9;
}

/* Seconds to wait before this rank packs. Higher ranks wait longer, so that lower ones go first. */
static double seconds_to_wait(const struct lc_ranks *ranks, long lowest, long present)
{
    if (ranks->rank == lowest)
        return present == ranks->size ? 0 : ranks->patience_s;
    return ranks->patience_s + HEARTBEAT_S + (double)(ranks->rank - lowest);
}

/* Sleep for a sixteenth of the time waited so far: short pilots are not held up by the next look,
 * and long ones, with many ranks, do not burden a shared disk with looks. (The end of an inotify
 * watch takes some 10 ms, which a sleep is shorter than.) */
static void sleep_between_looks(double waited_s, long ranks)
{
    double most_ms = ranks < 80 ? 10 : ranks > 400 ? 50 : (double)ranks / 8;
    double nap_ms = waited_s * 1000 / 16;

    usleep((useconds_t)(1000 * (nap_ms < 1 ? 1 : nap_ms > most_ms ? most_ms : nap_ms)));
}

enum lc_ranks_turn lc_ranks_wait(struct lc_ranks *ranks)
{
    double began = now_s(), since = began;
    long before = -1, lowest;
    long long sign = -1;

    for (;;) {
        long present = count_parts(ranks, &lowest);
        long long now = heartbeat_read(ranks);
        if (present < 0)
            return LC_RANKS_DONE; /* the packer has finished and removed it */
        if (present != before || now != sign) {
            before = present;
            sign = now;
            since = now_s();
        }
        ranks->found = present;
        double limit = now ? HEARTBEAT_S + (double)(ranks->rank - lowest)
                           : seconds_to_wait(ranks, lowest, present);
        if (now_s() - since >= limit) {
            lc_ranks_heartbeat(ranks);
            return LC_RANKS_PACK;
        }
        sleep_between_looks(now_s() - began, ranks->size);
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
        if (seen && lc_seen_load(seen, file, NULL) == 0)
            ranks->taken++;
    }
    closedir(dir);
    return 0;
}

/* A part written after the merge stays: its rank becomes the packer and adds it to the image. */
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
    heartbeat_file(ranks, file, sizeof(file));
    unlink(file);
    rmdir(ranks->dir);
}
