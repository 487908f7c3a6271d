/* SPDX-License-Identifier: MIT */
/* arm_packed.c - what the arms 'copy' and 'squashfs' share */
#include "bench/arm_packed.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/path.h"

int lc_packed_needs(const char *const *programs, struct lc_error *err)
{
    char path[PATH_MAX];

    for (; *programs; programs++)
        if (lc_path_find_program(path, sizeof(path), *programs, NULL) < 0)
            return lc_error_set(err, "'%s' is not installed", *programs);
    return 0;
}

int lc_packed_open(struct lc_arm_setup *setup, size_t size, const char *suffix, const char *below,
                   struct lc_error *err)
{
    struct lc_packed_tree *packed = setup->own = calloc(1, size);

    if (!packed)
        return lc_error_set(err, "out of memory");
    packed->below = below;
    if (!setup->c->place[0])
        return lc_error_set(err, "case '%s' has no directory that could be packed for '%s'",
                            setup->c->spec->name, setup->ops->name);
    if (lc_arm_memory_make(&packed->own, err) < 0)
        return -1;
    lc_memory_guard_begin(&packed->guard, &packed->own);
    return lc_arm_file_place(setup, suffix, packed->file, packed->seen, err);
}

int lc_packed_make(struct lc_arm_setup *setup, const struct lc_argv *command, struct lc_buf *out,
                   struct lc_error *err)
{
    struct lc_packed_tree *packed = setup->own;
    struct lc_error why;
    struct stat st;

    if (lc_run_output_quiet(command, out, &why) < 0)
        return lc_error_set(err, "cannot pack '%s' on target '%s' for '%s': %s",
                            setup->c->spec->name, setup->c->target->spec->name, setup->ops->name,
                            why.text);
    if (stat(packed->file, &st) < 0)
        return lc_error_errno(err, "no '%s' was written", packed->file);
    setup->bytes = (uint64_t)st.st_size;
    return 0;
}

void lc_packed_close(struct lc_arm_setup *setup)
{
    struct lc_packed_tree *packed = setup->own;
    struct lc_error ignored;

    if (!packed)
        return;
    lc_node_hold_end(&packed->hold);
    if (packed->own.path[0]) {
        lc_remove_tree(packed->own.path, &ignored);
        lc_memory_guard_end(&packed->guard);
        close(packed->own.lock);
    }
    free(packed);
}

int lc_packed_end(struct lc_arm_setup *setup, struct lc_error *err)
{
    struct lc_packed_tree *packed = setup->own;

    (void)err;
    if (packed)
        lc_node_hold_end(&packed->hold);
    return 0;
}

int lc_packed_program(const struct lc_arm_setup *setup, struct lc_rank_program *program,
                      struct lc_error *err)
{
    const struct lc_packed_tree *packed = setup->own;
    char base[PATH_MAX];

    snprintf(base, sizeof(base), "%.4000s/%s", packed->own.path, packed->below);
    return lc_case_program(setup->c, base, program, err);
}

void lc_packed_memory(const struct lc_arm_setup *setup, struct lc_argv *words)
{
    const struct lc_packed_tree *packed = setup->own;

    lc_argv_printf(words, "held:%s/%s", packed->own.path, packed->below);
}
