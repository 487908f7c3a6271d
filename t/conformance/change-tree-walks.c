/* SPDX-License-Identifier: MIT */
/* change-tree-walks.c - trees that change while they are walked: by the visitor, as rm -r and its
 * kin do, and trees deeper than any path */
#include <fts.h>
#include <ftw.h>

#include "lines.h"
#include "seen.h"

static int make_in_each(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    (void)st, (void)where;
    add_line("%s %d", path, kind);
    if (kind == FTW_D) {
        int fd = open(joined(path, "/made-on-the-way"), O_WRONLY | O_CREAT, 0644);
        dprintf(fd, "made\n");
        close(fd);
    }
    return 0;
}

static int remove_empty(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    (void)st, (void)where;
    add_line("%s %d", path, kind);
    return kind == FTW_D ? (rmdir(path), 0) : 0;
}

static int remove_all(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    (void)st, (void)where;
    add_line("%s %d", path, kind);
    return remove(path);
}

static void make_below(const char *path)
{
    mkdir(path, 0755);
    for (int i = 0; i < 3; i++) {
        char *inner = joined(joined(path, "/in"), (char[]){(char)('0' + i), '\0'});
        mkdir(inner, 0755);
        close(open(joined(inner, "/file"), O_WRONLY | O_CREAT, 0644));
    }
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static void read_and_remove(char *root)
{
    char *roots[] = {root, NULL};
    FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name);

    for (FTSENT *e; (e = fts_read(fts));) {
        int result = e->fts_info == FTS_D ? 0 : remove(e->fts_accpath);
        printf("  %s %d: %s\n", e->fts_path, e->fts_info, outcome(result));
    }
    fts_close(fts);
}

/* 24 directories of 250 letters: made, counted and removed through the working directory. */
static int count, deepest;

static int count_them(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    (void)st;
    if (kind == FTW_D || kind == FTW_F)
        count++;
    if (where->level > deepest)
        deepest = where->level;
    return strlen(path) > 10000;
}

static void go_deep(const char *root)
{
    char *name = repeated("d", 250);

    for (int i = 0; i < 24; i++)
        if (mkdir(name, 0755) || chdir(name))
            exit(9);
    close(open("bottom", O_WRONLY | O_CREAT, 0644));
    if (chdir(root))
        exit(9);
    printf("deep: %d\n", nftw("data", count_them, 40, FTW_PHYS));
    printf("  %d names, %d levels\n", count, deepest);
    for (int i = 0; i < 24; i++)
        if (chdir(i ? name : joined("data/", name)))
            exit(9);
    unlink("bottom");
    for (int i = 0; i < 24; i++)
        if (chdir("..") || rmdir(name))
            exit(9);
}

int main(int argc, char **argv)
{
    (void)argc;
    if (chdir("data"))
        exit(9);
    go_deep(argv[1]);
    flush_lines("made on the way", nftw("data/sub", make_in_each, 8, FTW_PHYS));
    seen("data/sub/deep/made-on-the-way");
    make_below("data/new");
    flush_lines("what is new", nftw("data/new", make_in_each, 8, 0));
    flush_lines("removed on the way", nftw("data/empty-dir", remove_empty, 8, FTW_PHYS));
    seen("data/empty-dir");
    flush_lines("all removed", nftw("data/sub", remove_all, 8, FTW_PHYS | FTW_DEPTH));
    seen("data/sub");
    seen("data/to-dir");
    puts("read and removed");
    read_and_remove("python/package");
    seen("python/package");
    flush_lines("what is left", nftw("python", make_in_each, 8, FTW_PHYS));
}
