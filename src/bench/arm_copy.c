/* SPDX-License-Identifier: MIT */
/* arm_copy.c - the arm 'copy': the environment as one compressed archive, unpacked to the memory of
 * each node
 *
 * Under Slurm the archive is sent by sbcast; elsewhere each node reads it from the target, once. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench/arm_packed.h"
#include "launch/compose.h"
#include "util/clock.h"
#include "util/path.h"

struct copy {
    struct lc_packed_tree packed;
    char parts[4096];    /* "OFFSET:LENGTH ..." */
    char sent[PATH_MAX]; /* the archive's copy on the nodes, by sbcast; "": none */
};

static int copy_possible(struct lc_error *err)
{
    static const char *const programs[] = {"tar", "zstd", NULL};

    return lc_packed_needs(programs, err);
}

/* Parts of the archive: two for each core, so that no core waits long for the last one. */
static long parts_count(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);

    return cores < 2 ? 4 : cores > 32 ? 64 : 2 * cores;
}

static int archive_make(struct lc_arm_setup *setup, struct lc_error *err)
{
    struct copy *copy = setup->own;
    struct lc_argv argv = {0};
    struct lc_buf out = {0};

    lc_argv_words(&argv, "sh -c");
    lc_argv_add(&argv, lc_script_text("copy_pack.sh"));
    lc_argv_add(&argv, "sh");
    lc_argv_add(&argv, setup->c->target->root);
    lc_argv_add(&argv, setup->c->place);
    lc_argv_add(&argv, copy->packed.file);
    lc_argv_printf(&argv, "%ld", parts_count());
    int rc = lc_packed_make(setup, &argv, &out, err);
    snprintf(copy->parts, sizeof(copy->parts), "%s", lc_buf_text(&out));
    lc_argv_free(&argv);
    lc_buf_free(&out);
    return rc;
}

static int copy_prepare(struct lc_arm_setup *setup, struct lc_error *err)
{
    return lc_packed_open(setup, sizeof(struct copy), ".tar.zst", "copy", err) < 0
               ? -1
               : archive_make(setup, err);
}

/* Sends the archive to all nodes of the allocation by sbcast. The guard removes it from there if
 * bench is killed meanwhile. */
static int archive_send(struct copy *copy, const struct lc_arm_job *job, struct lc_error *err)
{
    struct lc_argv words = {0}, clean = {0};
    struct lc_error ignored;
    int rc = lc_node_words(job, &clean, err);

    snprintf(copy->sent, sizeof(copy->sent), "%.3900s.tar.zst", copy->packed.own.path);
    lc_argv_words(&clean, "rm -f");
    lc_argv_add(&clean, copy->sent);
    lc_memory_guard_set_command(&copy->packed.guard, &clean);
    lc_argv_words(&words, "sbcast --force");
    lc_argv_add(&words, copy->packed.seen);
    lc_argv_add(&words, copy->sent);
    if (rc == 0 && (rc = lc_run(&words, NULL, err)) < 0)
        lc_run(&clean, NULL, &ignored);
    lc_argv_free(&words);
    lc_argv_free(&clean);
    return rc;
}

static bool has_sbcast(const struct lc_arm_job *job)
{
    char path[PATH_MAX];

    return strcmp(job->launcher, "srun") == 0 && lc_compose_slurm_nodes() > 0 &&
           lc_path_find_program(path, sizeof(path), "sbcast", NULL) == 0;
}

static int copy_begin(struct lc_arm_setup *setup, const struct lc_arm_job *job,
                      struct lc_arm_times *times, struct lc_error *err)
{
    struct copy *copy = setup->own;
    struct lc_argv variables = {0};
    const struct lc_node_task task = {copy->packed.own.path, "copy_node.sh", &variables};
    uint64_t start = lc_clock_ns();

    times->stage_s = 0;
    if (copy->packed.hold.is_held)
        return 0;
    copy->sent[0] = '\0';
    if (has_sbcast(job) && archive_send(copy, job, err) < 0)
        return -1;
    lc_argv_printf(&variables, "ARCHIVE=%s", copy->sent[0] ? copy->sent : copy->packed.seen);
    lc_argv_printf(&variables, "SENT=%s", copy->sent);
    lc_argv_printf(&variables, "PARTS=%s", copy->parts);
    int rc = lc_node_hold_begin(&copy->packed.hold, job, setup->c, &task, err);
    times->stage_s = (double)(lc_clock_ns() - start) / 1e9;
    lc_memory_guard_set_command(&copy->packed.guard, NULL);
    lc_argv_free(&variables);
    return rc;
}

const struct lc_arm_ops lc_arm_copy = {
    .name = "copy",
    .prepared = "packed",
    .possible = copy_possible,
    .prepare = copy_prepare,
    .close = lc_packed_close,
    .update = archive_make,
    .begin = copy_begin,
    .end = lc_packed_end,
    .program = lc_packed_program,
    .memory = lc_packed_memory,
};
