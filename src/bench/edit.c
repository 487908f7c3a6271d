/* SPDX-License-Identifier: MIT */
/* edit.c - measure what an edit of one file costs an arm
 *
 * The original is renamed, so that undoing the edit gives back the same inode and time. If bench is
 * killed in between, the next copy of the tree to the target repairs it. */
#include "bench/edit.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/clock.h"

/* Static because nftw() passes no argument to its callback. */
static struct {
    char ending[300]; /* of the file that is wanted */
    char path[PATH_MAX];
} wanted;

static int path_match(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    size_t len = strlen(path), end = strlen(wanted.ending);

    (void)st, (void)ftw;
    if (type != FTW_F || len < end || strcmp(path + len - end, wanted.ending) != 0)
        return 0;
    snprintf(wanted.path, sizeof(wanted.path), "%s", path);
    return 1;
}

/* "scipy.linalg" is the directory scipy/linalg. */
static void init_ending(char *out, size_t size, const char *package)
{
    snprintf(out, size, "/%.200s/__init__.py", package);
    for (char *dot = out; (size_t)(dot - out) <= strlen(package); dot++)
        if (*dot == '.')
            *dot = '/';
}

/* The package's own module, else a library, else any file. */
static const char *file_choose(const struct lc_case *c)
{
    const char *const endings[] = {NULL, ".so", ""};
    char dir[PATH_MAX];

    snprintf(dir, sizeof(dir), "%.3500s/%s", c->target->base, c->place);
    for (size_t i = 0; i < 3; i++) {
        if (!endings[i] && c->spec->kind != LC_CASE_IMPORT)
            continue;
        if (endings[i])
            snprintf(wanted.ending, sizeof(wanted.ending), "%s", endings[i]);
        else
            init_ending(wanted.ending, sizeof(wanted.ending), c->spec->packages[0]);
        if (nftw(dir, path_match, 32, FTW_PHYS) == 1)
            return wanted.path;
    }
    return NULL;
}

/* Writes 'from' with one more byte at its end, which neither Python nor ld.so minds, to 'to'. */
static int copy_longer(const char *from, const char *to)
{
    char part[1 << 16];
    struct stat st;
    ssize_t n = -1;
    int in = open(from, O_RDONLY | O_CLOEXEC);
    int out = in >= 0 && fstat(in, &st) == 0
                  ? open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, st.st_mode & 07777)
                  : -1;

    while (out >= 0 && (n = read(in, part, sizeof(part))) > 0)
        if (write(out, part, (size_t)n) != n)
            break;
    bool is_whole = n == 0 && write(out, "\n", 1) == 1;
    if (in >= 0)
        close(in);
    if (out >= 0)
        close(out);
    return is_whole ? 0 : -1;
}

static double update_measure(struct lc_arm_setup *setup, double otherwise)
{
    struct lc_error ignored;

    if (lc_target_mount(setup->c->target, &ignored) < 0) /* see the edit, not what was cached */
        return otherwise;
    uint64_t start = lc_clock_ns();
    int rc = setup->ops->update(setup, &ignored);
    return rc < 0 ? otherwise : (double)(lc_clock_ns() - start) / 1e9;
}

bool lc_edit_measure(struct lc_arm_setup *setup)
{
    char kept[PATH_MAX + 16];
    const char *file = setup->ops->update && setup->c->place[0] ? file_choose(setup->c) : NULL;

    if (!file)
        return false;
    snprintf(kept, sizeof(kept), "%s.loadcast-edit", file);
    if (rename(file, kept) < 0)
        return false; /* a target that cannot be written */
    if (copy_longer(kept, file) == 0)
        setup->edit_s = update_measure(setup, setup->edit_s);
    rename(kept, file);
    return true;
}
