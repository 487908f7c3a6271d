/* SPDX-License-Identifier: MIT */
/* trees.c - walk a tree by all of the C library's walkers that do not change the directory: trees
 * DIR */
#include <fts.h>
#include <ftw.h>
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
}
