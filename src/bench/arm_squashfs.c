/* SPDX-License-Identifier: MIT */
/* arm_squashfs.c - the arm 'squashfs': the environment as one image, mounted on each node by
 * squashfuse_ll */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "bench/arm_packed.h"
#include "util/clock.h"

static int squashfs_possible(struct lc_error *err)
{
    static const char *const programs[] = {"mksquashfs", "squashfuse_ll", "fusermount3", NULL};

    if (lc_packed_needs(programs, err) < 0)
        return -1;
    int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return lc_error_errno(err, "cannot open '/dev/fuse'");
    close(fd);
    return 0;
}

/* Level 3 packs as fast as the archive of 'copy'; mksquashfs' own 15 takes ten times as long. */
static int image_make(struct lc_arm_setup *setup, struct lc_error *err)
{
    const struct lc_packed_tree *packed = setup->own;
    struct lc_argv argv = {0};
    struct lc_buf out = {0};

    unlink(packed->file);
    lc_argv_add(&argv, "mksquashfs");
    lc_argv_printf(&argv, "%s/%s", setup->c->target->root, setup->c->place);
    lc_argv_add(&argv, packed->file);
    lc_argv_words(&argv, "-keep-as-directory -noappend -no-progress -quiet -comp zstd "
                         "-Xcompression-level 3");
    int rc = lc_packed_make(setup, &argv, &out, err);
    lc_argv_free(&argv);
    lc_buf_free(&out);
    return rc;
}

static int squashfs_prepare(struct lc_arm_setup *setup, struct lc_error *err)
{
    return lc_packed_open(setup, sizeof(struct lc_packed_tree), ".squashfs", "mount", err) < 0
               ? -1
               : image_make(setup, err);
}

/* The server of a mount may be killed together with bench and the process that holds the mount. */
static void guard_set_unmount(const struct lc_packed_tree *packed)
{
    struct lc_argv argv = {0};

    lc_argv_add(&argv, "env");
    lc_argv_printf(&argv, "DIR=%s", packed->own.path);
    lc_argv_words(&argv, "sh -c");
    lc_argv_add(&argv, lc_script_text("squashfs_node.sh"));
    lc_argv_words(&argv, "sh end");
    lc_memory_guard_set_command(&packed->guard, &argv);
    lc_argv_free(&argv);
}

static int squashfs_begin(struct lc_arm_setup *setup, const struct lc_arm_job *job,
                          struct lc_arm_times *times, struct lc_error *err)
{
    struct lc_packed_tree *packed = setup->own;
    struct lc_argv variables = {0};
    const struct lc_node_task task = {packed->own.path, "squashfs_node.sh", &variables};
    uint64_t start = lc_clock_ns();

    times->stage_s = 0;
    if (packed->hold.is_held)
        return 0;
    guard_set_unmount(packed);
    lc_argv_printf(&variables, "IMAGE=%s", packed->seen);
    int rc = lc_node_hold_begin(&packed->hold, job, setup->c, &task, err);
    times->stage_s = (double)(lc_clock_ns() - start) / 1e9;
    lc_argv_free(&variables);
    return rc;
}

/* Pages of the files, of the image, and the server's own. */
static void squashfs_memory(const struct lc_arm_setup *setup, struct lc_argv *words)
{
    const struct lc_packed_tree *packed = setup->own;

    lc_argv_printf(words, "cached:%s/%s", packed->own.path, packed->below);
    lc_argv_printf(words, "server:%s/%s", packed->own.path, packed->below);
    lc_argv_printf(words, "cached:%s", packed->seen);
}

const struct lc_arm_ops lc_arm_squashfs = {
    .name = "squashfs",
    .prepared = "packed",
    .possible = squashfs_possible,
    .prepare = squashfs_prepare,
    .close = lc_packed_close,
    .update = image_make,
    .begin = squashfs_begin,
    .end = lc_packed_end,
    .program = lc_packed_program,
    .memory = squashfs_memory,
};
