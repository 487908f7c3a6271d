/* SPDX-License-Identifier: MIT */
/* tree-reading.c - fts: trees read entry by entry */
#include <fts.h>

#include "case.h"

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static void show_entry(const FTSENT *e, int options)
{
    bool has_stat = !(options & FTS_NOSTAT) && e->fts_info != FTS_NS && e->fts_info != FTS_NSOK;

    printf("  %s info %d level %d name %s %d %d access %s parent %s", e->fts_path, e->fts_info,
           e->fts_level, e->fts_name, e->fts_namelen, e->fts_pathlen,
           options & FTS_NOCHDIR ? e->fts_accpath : "", e->fts_parent->fts_name);
    if (has_stat)
        printf(" mode %o", e->fts_statp->st_mode);
    printf("%s%s%s%s\n", e->fts_errno ? " " : "", e->fts_errno ? error_name(e->fts_errno) : "",
           e->fts_info == FTS_DC ? " again " : "",
           e->fts_info == FTS_DC ? e->fts_cycle->fts_name : "");
}

static FTS *begin(const char *how, char *const *roots, int options)
{
    errno = 0;
    FTS *fts = fts_open(roots, options, by_name);
    printf("%s: %s\n", how, fts ? "open" : error_name(errno));
    return fts;
}

static void read_all(const char *how, char *const *roots, int options)
{
    FTS *fts = begin(how, roots, options);
    FTSENT *e;

    while (fts && (e = fts_read(fts)))
        show_entry(e, options);
    printf("  end: errno %d\n", errno);
    if (fts)
        printf("  closed: %d\n", fts_close(fts));
}

static void in_every_way(char *const *roots)
{
    static const int more[] = {0,          FTS_COMFOLLOW, FTS_NOSTAT,
                               FTS_SEEDOT, FTS_XDEV,      FTS_NOSTAT | FTS_SEEDOT};

    for (size_t i = 0; i < sizeof(more) / sizeof(*more); i++) {
        printf("options %d\n", more[i]);
        read_all("logical", roots, FTS_LOGICAL | more[i]);
        read_all("logical, staying", roots, FTS_LOGICAL | FTS_NOCHDIR | more[i]);
        read_all("physical, staying", roots, FTS_PHYSICAL | FTS_NOCHDIR | more[i]);
        read_all("physical", roots, FTS_PHYSICAL | more[i]);
    }
}

/* Instructions, by the name of what was read. */
static void instruct(char *const *roots, int options)
{
    FTS *fts = begin("instructions", roots, options);
    int again = 0;

    for (FTSENT *e; fts && (e = fts_read(fts));) {
        show_entry(e, options);
        e->fts_number++;
        if (e->fts_info == FTS_D && strcmp(e->fts_name, "deep") == 0)
            SHOW(fts_set(fts, e, FTS_SKIP));
        if (e->fts_info == FTS_SL)
            SHOW(fts_set(fts, e, FTS_FOLLOW));
        if (strcmp(e->fts_name, "n1.txt") == 0 && again++ < 2)
            SHOW(fts_set(fts, e, FTS_AGAIN));
        if (strcmp(e->fts_name, "n2.txt") == 0)
            SHOW(fts_set(fts, e, 99));
    }
    if (fts)
        fts_close(fts);
}

static void show_children(FTS *fts, int how)
{
    errno = 0;
    FTSENT *child = fts_children(fts, how);

    printf("  children (%d): %s\n", how, child ? "" : error_name(errno));
    for (; child; child = child->fts_link) {
        printf("    %s info %d level %d\n", child->fts_name, child->fts_info, child->fts_level);
        if (strcmp(child->fts_name, "n3.txt") == 0)
            fts_set(fts, child, FTS_SKIP);
        if (strcmp(child->fts_name, "to-dir") == 0)
            fts_set(fts, child, FTS_FOLLOW);
    }
}

static void children(char *const *roots, int options, int how)
{
    FTS *fts = begin("children", roots, options);

    if (!fts)
        return;
    show_children(fts, 0);
    for (FTSENT *e; (e = fts_read(fts));) {
        show_entry(e, options);
        if (e->fts_info == FTS_D || e->fts_info == FTS_F)
            show_children(fts, how);
    }
    fts_close(fts);
}

static void close_early(char *const *roots, int options)
{
    for (int most = 0; most < 12; most += 3) {
        FTS *fts = begin("closed early", roots, options);
        for (int i = 0; fts && i < most; i++) {
            FTSENT *e = fts_read(fts);
            if (e && e->fts_info == FTS_D && i % 2)
                fts_children(fts, 0);
        }
        if (fts)
            SHOW(fts_close(fts));
    }
}

/* The order of the roots is the caller's without a function to compare. */
static void unsorted(char *const *roots)
{
    FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);

    for (FTSENT *e; fts && (e = fts_read(fts));)
        if (e->fts_level == FTS_ROOTLEVEL)
            printf("  root %s %d\n", e->fts_path, e->fts_info);
    if (fts)
        fts_close(fts);
}

static void spellings(char *const *roots)
{
    void *(*open_)(char *const *, int, void *) = spelling("fts64_open");
    void *(*read_)(void *) = spelling("fts64_read");
    void *(*children_)(void *, int) = spelling("fts64_children");
    int (*close_)(void *) = spelling("fts64_close");
    int (*set_)(void *, void *, int) = spelling("fts64_set");
    void *fts = open_(roots, FTS_LOGICAL, by_name);

    puts("the other spelling");
    for (FTSENT *e; (e = read_(fts));) {
        show_entry(e, FTS_LOGICAL);
        if (e->fts_info == FTS_D)
            printf("  has %s\n", ((FTSENT *)children_(fts, 0)) ? "children" : "none");
        if (e->fts_info == FTS_D && strcmp(e->fts_name, "deep") == 0)
            set_(fts, e, FTS_SKIP);
    }
    SHOW(close_(fts));
}

int main(int argc, char **argv)
{
    (void)argc;
    char *some[] = {"data/sub", "data/to-dir", "data/none", "data/file", "data/dangling", NULL};
    char *whole[] = {"data", NULL};
    char *absolute[] = {joined(argv[1], "/data/sub//"), joined(argv[1], "/data/to-dir/deep"), NULL};
    char *odd[] = {"data/unsearched", "data/unlisted", "data/closed", "data/loop", ".", NULL};
    char *with_empty[] = {"data", "", NULL};

    in_every_way(some);
    read_all("whole, logical", whole, FTS_LOGICAL);
    read_all("whole, physical", whole, FTS_PHYSICAL | FTS_NOCHDIR);
    read_all("absolute", absolute, FTS_PHYSICAL | FTS_NOCHDIR);
    odd[4] = NULL;
    read_all("odd", odd, FTS_LOGICAL);
    read_all("odd, physical", odd, FTS_PHYSICAL | FTS_NOCHDIR);
    read_all("an empty name", with_empty, FTS_LOGICAL);
    read_all("unknown options", whole, FTS_LOGICAL | 0x4000);
    instruct(some, FTS_PHYSICAL | FTS_NOCHDIR);
    instruct(some, FTS_LOGICAL);
    for (int how = 0; how <= FTS_NAMEONLY; how += FTS_NAMEONLY) {
        children(some, FTS_PHYSICAL | FTS_NOCHDIR, how);
        children(whole, FTS_LOGICAL, how);
        close_early(some, FTS_LOGICAL | how);
    }
    children(some, FTS_LOGICAL, 12345);
    close_early(whole, FTS_PHYSICAL | FTS_NOCHDIR);
    unsorted(some);
    spellings(some);
    int fd = dup(0);
    printf("descriptors left open: %d\n", fd - 3);
}
