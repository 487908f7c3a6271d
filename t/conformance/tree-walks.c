/* SPDX-License-Identifier: MIT */
/* tree-walks.c - ftw, nftw and fts: whole trees, by the C library's own walkers */
#include <fts.h>
#include <ftw.h>

#include "case.h"

static char *line[300];
static int lines;

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void flush_lines(const char *how, int result)
{
    printf("%s: %d %s\n", how, result, result < 0 ? error_name(errno) : "");
    qsort(line, (size_t)lines, sizeof(*line), by_text);
    for (int i = 0; i < lines; i++)
        printf("  %s\n", line[i]);
    lines = 0;
}

static int visit(const char *path, const struct stat *st, int kind)
{
    if (asprintf(&line[lines++], "%s %d %o", path, kind, kind == FTW_NS ? 0 : st->st_mode) < 0)
        exit(9);
    return 0;
}

static int visit_more(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    if (asprintf(&line[lines++], "%s %d %d %d %o", path, kind, where->base, where->level,
                 kind == FTW_NS ? 0 : st->st_mode) < 0)
        exit(9);
    return 0;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static void show_fts(const char *how, int options)
{
    char *roots[] = {"data", "data/to-dir", "data/none", NULL};
    FTS *fts = fts_open(roots, options, by_name);

    printf("%s: %s\n", how, fts ? "open" : error_name(errno));
    for (FTSENT *e; fts && (e = fts_read(fts));)
        printf("  %s %d level %d %s\n", e->fts_path, e->fts_info, e->fts_level,
               e->fts_errno ? error_name(e->fts_errno) : "");
    if (fts)
        fts_close(fts);
}

int main(int argc, char **argv)
{
    (void)argc;
    flush_lines("ftw", ftw("data", visit, 8));
    flush_lines("ftw absent", ftw("data/none", visit, 8));
    flush_lines("ftw of a file", ftw(joined(argv[1], "/data/file"), visit, 8));
    flush_lines("nftw", nftw("data", visit_more, 8, 0));
    flush_lines("nftw physical", nftw("data", visit_more, 8, FTW_PHYS));
    flush_lines("nftw depth", nftw("data", visit_more, 8, FTW_DEPTH | FTW_PHYS | FTW_MOUNT));
    flush_lines("nftw chdir", nftw(joined(argv[1], "/data"), visit_more, 8, FTW_CHDIR | FTW_PHYS));
    show_fts("fts logical", FTS_LOGICAL | FTS_NOCHDIR);
    show_fts("fts physical", FTS_PHYSICAL);
    show_fts("fts no stat", FTS_PHYSICAL | FTS_NOSTAT | FTS_SEEDOT);
}
