/* SPDX-License-Identifier: MIT */
/* trees.c - walk a tree by all of the C library's walkers that do not change the directory: trees
 * DIR */
#include <dirent.h>
#include <fts.h>
#include <ftw.h>
#include <glob.h>
#include <stdio.h>
#include <sys/stat.h>

static long names, bytes;

static int count(const char *path, const struct stat *st, int kind)
{
    (void)path;
    names++;
    bytes += kind == FTW_F ? (long)st->st_size : 0;
    return 0;
}

static int count_more(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    (void)where;
    return count(path, st, kind);
}

static void tell(const char *how, int result)
{
    printf("%s: %d, %ld names, %ld bytes\n", how, result, names, bytes);
    names = bytes = 0;
}

static void read_tree(const char *how, char *root, int options)
{
    char *roots[] = {root, NULL};
    FTS *fts = fts_open(roots, options, NULL);

    for (FTSENT *e; fts && (e = fts_read(fts));) {
        names++;
        bytes += e->fts_info == FTS_F && !(options & FTS_NOSTAT) ? (long)e->fts_statp->st_size : 0;
        if (e->fts_info == FTS_D)
            fts_children(fts, 0);
    }
    tell(how, fts ? fts_close(fts) : -1);
}

static void *open_own(const char *path)
{
    names++;
    return opendir(path);
}

static void close_own(void *dir)
{
    closedir(dir);
}

static void read_pattern(const char *how, const char *root, const char *pattern, int flags)
{
    char whole[4096];
    glob_t found = {.gl_opendir = open_own,
                    .gl_readdir = (struct dirent * (*)(void *)) readdir,
                    .gl_closedir = close_own,
                    .gl_stat = stat,
                    .gl_lstat = lstat};

    snprintf(whole, sizeof(whole), "%s/%s", root, pattern);
    int result = glob(whole, flags, NULL, &found);
    names += result ? 0 : (long)found.gl_pathc;
    tell(how, result);
    globfree(&found);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    tell("ftw", ftw(argv[1], count, 20));
    tell("nftw", nftw(argv[1], count_more, 20, 0));
    tell("nftw down", nftw(argv[1], count_more, 20, FTW_PHYS));
    tell("nftw up", nftw(argv[1], count_more, 20, FTW_PHYS | FTW_DEPTH | FTW_MOUNT));
    read_tree("fts logical", argv[1], FTS_LOGICAL);
    read_tree("fts physical", argv[1], FTS_PHYSICAL | FTS_NOCHDIR);
    read_tree("fts, names alone", argv[1], FTS_PHYSICAL | FTS_NOCHDIR | FTS_NOSTAT);
    read_pattern("glob", argv[1], "*", 0);
    read_pattern("glob below", argv[1], "a/*/c/[1-4]*", GLOB_MARK);
    read_pattern("glob by functions of its own", argv[1], "a/*", GLOB_ALTDIRFUNC);
}
