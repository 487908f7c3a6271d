/* SPDX-License-Identifier: MIT */
/* arm_copy.c - the arm 'copy': the environment as one compressed archive, unpacked to the memory of
 * each node */
#include <stdio.h>
#include <unistd.h>

#include "bench/copy_send.h"
#include "util/clock.h"

struct copy {
    struct lc_packed_tree packed;
    char parts[4096]; /* "OFFSET:LENGTH ..." */
    struct lc_copy_sent sent;
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

    copy->sent.image[0] = '\0';
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

static int archive_unpack(struct lc_arm_setup *setup, const struct lc_arm_job *job,
                          struct lc_error *err)
{
    struct copy *copy = setup->own;
    struct lc_argv variables = {0};
    const struct lc_node_task task = {copy->packed.own.path, "copy_node.sh", &variables};

    lc_argv_printf(&variables, "ARCHIVE=%s",
                   copy->sent.path[0] ? copy->sent.path : copy->packed.seen);
    lc_argv_printf(&variables, "GARBAGE=%s", copy->sent.garbage);
    lc_argv_printf(&variables, "PARTS=%s", copy->parts);
    int rc = lc_node_hold_begin(&copy->packed.hold, job, setup->c, &task, err);
    lc_argv_free(&variables);
    return rc;
}

static int copy_begin(struct lc_arm_setup *setup, const struct lc_arm_job *job,
                      struct lc_arm_times *times, struct lc_error *err)
{
    struct copy *copy = setup->own;

    times->stage_s = 0;
    if (copy->packed.hold.is_held)
        return 0;
    if (lc_copy_send_prepare(setup, job, &copy->sent, err) < 0)
        return -1;
    uint64_t start = lc_clock_ns();
    if (lc_copy_send(setup, job, &copy->sent, err) < 0)
        return -1;
    int rc = archive_unpack(setup, job, err);
    times->stage_s = (double)(lc_clock_ns() - start) / 1e9;
    return rc;
}

static int copy_end(struct lc_arm_setup *setup, struct lc_error *err)
{
    struct copy *copy = setup->own;
    int rc = lc_packed_end(setup, err);

    if (copy)
        lc_copy_send_end(setup, &copy->sent);
    return rc;
}

static void copy_close(struct lc_arm_setup *setup)
{
    struct lc_error ignored;

    copy_end(setup, &ignored);
    lc_packed_close(setup);
}

const struct lc_arm_ops lc_arm_copy = {
    .name = "copy",
    .prepared = "packed",
    .possible = copy_possible,
    .prepare = copy_prepare,
    .close = copy_close,
    .update = archive_make,
    .begin = copy_begin,
    .end = copy_end,
    .program = lc_packed_program,
    .memory = lc_packed_memory,
};
