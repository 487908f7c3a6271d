/* SPDX-License-Identifier: MIT */
/* tree-walks.c - ftw and nftw: whole trees, by the C library's own walkers */
#include <ftw.h>

#include "lines.h"

/* Names come in an order of their own, but what is above comes before what is below, or after. */
static void add(const char *path, const struct stat *st, int kind, int base, int level)
{
    bool has_stat = kind != FTW_NS;

    add_line("%s %d %d %d %o %ld", path, kind, base, level, has_stat ? st->st_mode : 0,
             has_stat && S_ISREG(st->st_mode) ? (long)st->st_size : 0);
}

static int visit(const char *path, const struct stat *st, int kind)
{
    add(path, st, kind, 0, 0);
    return 0;
}

static int visit_more(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    add(path, st, kind, where->base, where->level);
    return 0;
}

static int leave(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    if (chdir("/"))
        exit(9);
    return visit_more(path, st, kind, where);
}

/* What the actions ask for, by the place. */
static int skip_sub(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    visit_more(path, st, kind, where);
    return kind == FTW_D && strcmp(path + where->base, "sub") == 0 ? FTW_SKIP_SUBTREE
                                                                   : FTW_CONTINUE;
}

static int skip_siblings(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    if (where->level > 1)
        return FTW_SKIP_SIBLINGS;
    return visit_more(path, st, kind, where);
}

static int stop(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    (void)path, (void)st, (void)kind;
    errno = ENOTTY;
    return where->level == 1 ? FTW_STOP : FTW_CONTINUE;
}

static int give_seven(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    (void)path, (void)st, (void)where;
    errno = EDOM;
    return kind == FTW_F ? 7 : 0;
}

static int give_skip(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    (void)path, (void)st, (void)kind, (void)where;
    return FTW_SKIP_SUBTREE;
}

/* Parents before their children, or after them? */
static char last[PATH_MAX];
static int disorder;

static int watch_order(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    (void)st, (void)where;
    size_t n = strlen(path);
    if (kind == FTW_D && strncmp(last, path, n) == 0 && last[n] == '/')
        disorder++;
    if (kind == FTW_DP && last[0] && strncmp(last, path, n) != 0 && strncmp(path, last, n) != 0 &&
        !strstr(path, "empty"))
        disorder++;
    snprintf(last, sizeof(last), "%s", path);
    return 0;
}

static void in_order(const char *how, int flags)
{
    disorder = 0;
    last[0] = '\0';
    int result = nftw("data/sub", watch_order, 5, flags);
    printf("order %s: %d, %d out of order\n", how, result, disorder);
}

static void actions(void)
{
    flush_lines("skip a subtree", nftw("data", skip_sub, 8, FTW_PHYS | FTW_ACTIONRETVAL));
    flush_lines("skip the root", nftw("data", give_skip, 8, FTW_PHYS | FTW_ACTIONRETVAL));
    flush_lines("skip a file", nftw("data/file", give_skip, 8, FTW_ACTIONRETVAL));
    flush_lines("skip siblings", nftw("data", skip_siblings, 8, FTW_PHYS | FTW_ACTIONRETVAL));
    flush_lines("stop", nftw("data/sub", stop, 8, FTW_PHYS | FTW_ACTIONRETVAL));
    printf("  errno %s\n", error_name(errno));
    flush_lines("not zero", nftw("data/sub", give_seven, 8, FTW_PHYS));
    printf("  errno %s\n", error_name(errno));
    flush_lines("a skip without actions", nftw("data/sub", give_skip, 8, FTW_PHYS));
    flush_lines("depth and actions",
                nftw("data/sub", visit_more, 8, FTW_PHYS | FTW_DEPTH | FTW_ACTIONRETVAL));
}

static void roots(const char *root)
{
    static const char *const rests[] = {
        "/data/sub",       "/data/sub//",  "/data/./sub/deep", "/data/to-dir",    "/data/to-dir/",
        "/data/file",      "/data/file/",  "/data/dangling",   "/data/loop",      "/data/none",
        "/data/none/more", "/data/closed", "/data/unlisted",   "/data/unsearched"};

    for (size_t i = 0; i < sizeof(rests) / sizeof(*rests); i++)
        for (int flags = 0; flags < 16; flags++)
            if (!(flags & FTW_CHDIR)) {
                printf("%s with %d\n", rests[i], flags);
                flush_lines("nftw", nftw(joined(root, rests[i]), visit_more, 8, flags));
            }
    flush_lines("an empty name", nftw("", visit_more, 8, 0));
    flush_lines("unknown flags", nftw("data", visit_more, 8, 1 << 20));
    flush_lines("no descriptors", nftw("data/sub", visit_more, 0, FTW_PHYS));
    flush_lines("fewer", nftw("data/sub", visit_more, -5, FTW_PHYS));
    flush_lines("up and down", nftw("data/sub/..", visit_more, 3, FTW_PHYS));
    flush_lines("here", nftw(".//data/../data/sub/", visit_more, 3, FTW_PHYS));
}

static void spellings(void)
{
    int (*f)(const char *, void *, int) = spelling("ftw64");
    int (*n)(const char *, void *, int, int) = spelling("nftw64");

    flush_lines("ftw64", f("data/sub", visit, 8));
    flush_lines("nftw64", n("data/sub", visit_more, 8, FTW_DEPTH));
}

int main(int argc, char **argv)
{
    (void)argc;
    flush_lines("ftw", ftw("data/sub", visit, 8));
    flush_lines("ftw with links", ftw("python", visit, 8));
    flush_lines("ftw absent", ftw("data/none", visit, 8));
    flush_lines("ftw of a file", ftw(joined(argv[1], "/data/file"), visit, 8));
    flush_lines("ftw of nowhere", ftw("data/dangling", visit, 8));
    flush_lines("nftw physical", nftw("data", visit_more, 8, FTW_PHYS));
    flush_lines("nftw depth", nftw("data", visit_more, 8, FTW_DEPTH | FTW_PHYS | FTW_MOUNT));
    flush_lines("nftw chdir", nftw(joined(argv[1], "/data"), visit_more, 8, FTW_CHDIR | FTW_PHYS));
    in_order("down", FTW_PHYS);
    in_order("up", FTW_PHYS | FTW_DEPTH);
    actions();
    roots(argv[1]);
    spellings();
    flush_lines("a visitor that goes away", nftw("data/sub", leave, 8, FTW_PHYS));
    int fd = dup(0);
    printf("descriptors left open: %d\n", fd - 3);
}
