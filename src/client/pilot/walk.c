/* SPDX-License-Identifier: MIT */
/* walk.c - record trees that are walked inside the C library: ftw, nftw, fts
 *
 * The C library's own calls of opendir and stat do not go through the functions that we wrap, so
 * what the walk tells the program is recorded. A function that ftw calls is not told which walk it
 * belongs to: each walk has a slot with its thread. A walk that finds none free is not recorded.
 */
#include <linux/fcntl.h>

#include "client/pilot/note.h"
#include "client/preload/fts.h"
#include "client/preload/ftw.h"
#include "node/syscall.h"

enum { NOFOLLOW = 0x100, NO_ACCESS = 13, WALKS = 64 };

typedef int (*visit_fn)(const char *, const struct stat *, int, struct lc_ftw *);

struct walk {
    uint64_t thread; /* 0: the slot is free. Only this thread reads the rest */
    unsigned depth;  /* greater than that of the walk in whose visits this one began, and of walks
                        that a jump or an exception has left */
    visit_fn visit;
    int flags;
    bool has_begun; /* the program was told of a path */
};

static struct walk walks[WALKS];

static void note_stat(const char *path, unsigned flags, long outcome)
{
    NOTE(.call = "newfstatat", .result = outcome, .dirfd = AT_FDCWD, .path = path, .flags = flags);
}

static void note_directory(const char *path, long outcome)
{
    note_stat(path, 0, 0);
    NOTE(.call = "getdents64", .result = outcome, .dirfd = AT_FDCWD, .path = path);
}

/* The walk does not tell why it knows nothing of this path: it may be a link that leads nowhere. */
static void note_unknown(const char *path)
{
    struct stat st;

    note_stat(path, 0, LC_SYS4(__NR_newfstatat, AT_FDCWD, path, &st, 0));
    note_stat(path, NOFOLLOW, LC_SYS4(__NR_newfstatat, AT_FDCWD, path, &st, NOFOLLOW));
}

static void note_visit(const char *path, int kind)
{
    switch (kind) {
    case LC_FTW_DIRECTORY:
    case LC_FTW_DIRECTORY_DONE:
        return note_directory(path, 0);
    case LC_FTW_UNREADABLE:
        return note_directory(path, -NO_ACCESS);
    case LC_FTW_NO_STAT:
    case LC_FTW_LOST:
        return note_unknown(path);
    default:
        return note_stat(path, kind == LC_FTW_LINK ? NOFOLLOW : 0, 0);
    }
}

/* This thread's innermost walk, or NULL. */
static struct walk *walk_now(void)
{
    uint64_t thread = lc_arch_thread();
    struct walk *now = NULL;

    for (struct walk *w = walks; w < walks + WALKS; w++)
        if (__atomic_load_n(&w->thread, __ATOMIC_RELAXED) == thread &&
            (!now || w->depth > now->depth))
            now = w;
    return now;
}

/* NULL: no slot is free. */
static struct walk *walk_begin(visit_fn visit, int flags)
{
    struct walk *outer = walk_now();

    for (struct walk *w = walks; w < walks + WALKS; w++) {
        uint64_t none = 0;
        unsigned depth = outer ? outer->depth + 1 : 0;
        if (__atomic_compare_exchange_n(&w->thread, &none, lc_arch_thread(), false,
                                        __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
            w->depth = depth;
            w->visit = visit;
            w->flags = flags;
            w->has_begun = false;
            return w;
        }
    }
    return NULL;
}

/* If the program was told of nothing, the walk has failed at its root. */
static int walk_end(struct walk *w, const char *root, int result)
{
    if (w && !w->has_begun && result < 0 && root)
        note_stat(root, 0, lc_outcome(result));
    if (w)
        __atomic_store_n(&w->thread, 0, __ATOMIC_RELEASE);
    return result;
}

/* Called by the C library in place of the program's function. */
static int path_visit(const char *path, const struct stat *st, int kind, struct lc_ftw *where)
{
    struct walk *w = walk_now();

    if (!w)
        return 0;
    w->has_begun = true;
    note_visit(w->flags & LC_FTW_CHDIR ? path + where->base : path, kind);
    return w->visit(path, st, kind, where);
}

#define DEFINE_FTW(name)                                                                         \
    EXPORT(int, name, const char *root, visit_fn visit, int most)                                \
    {                                                                                            \
        struct walk *w = walk_begin(visit, 0);                                                   \
        return walk_end(                                                                         \
            w, root,                                                                             \
            NEXT(int, name, (const char *, visit_fn, int))(root, w ? path_visit : visit, most)); \
    }
#define DEFINE_NFTW(name)                                                    \
    EXPORT(int, name, const char *root, visit_fn visit, int most, int flags) \
    {                                                                        \
        struct walk *w = walk_begin(visit, flags);                           \
        return walk_end(w, root,                                             \
                        NEXT(int, name, (const char *, visit_fn, int, int))( \
                            root, w ? path_visit : visit, most, flags));     \
    }

DEFINE_FTW(ftw)
DEFINE_FTW(ftw64)
DEFINE_NFTW(nftw)
DEFINE_NFTW(nftw64)

/* fts_accpath is what the working directory, which a walk may change, leads to. */
static struct lc_ftsent *note_entry(struct lc_ftsent *e)
{
    switch (e ? e->info : LC_FTS_DP) {
    case LC_FTS_D:
        note_directory(e->accpath, 0);
        break;
    case LC_FTS_DNR:
        note_directory(e->accpath, -(long)e->error);
        break;
    case LC_FTS_NS:
    case LC_FTS_SLNONE:
        note_unknown(e->accpath);
        break;
    case LC_FTS_SL:
        note_stat(e->accpath, NOFOLLOW, 0);
        break;
    case LC_FTS_F:
    case LC_FTS_DEFAULT:
    case LC_FTS_DC:
        note_stat(e->accpath, 0, 0);
        break;
    default: /* a directory at its end, and names without more */
        break;
    }
    return e;
}

#define DEFINE_FTS_READ(name)                                             \
    EXPORT(struct lc_ftsent *, name, void *fts)                           \
    {                                                                     \
        return note_entry(NEXT(struct lc_ftsent *, name, (void *))(fts)); \
    }

DEFINE_FTS_READ(fts_read)
DEFINE_FTS_READ(fts64_read)
