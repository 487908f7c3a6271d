/* SPDX-License-Identifier: MIT */
/* ftw.c - ftw and nftw: walk a tree and call a function of the program for each entry
 *
 * The C library's walks do not go through the functions that we wrap, so walks that start at a path
 * in the image are made here, in the same order and with the same results. Entries are looked up by
 * absolute paths, not relative to descriptors, so that the program's function may change the
 * working directory. Walks that change it themselves (FTW_CHDIR) are left to the C library.
 */
#include <linux/fcntl.h>

#include "client/preload/ftw.h"
#include "client/preload/libc.h"
#include "client/preload/next.h"
#include "client/preload/tree.h"
#include "image/bytes.h"
#include "node/syscall.h"

enum { NO_ENTRY = 2, NO_MEMORY = 12, NO_ACCESS = 13, NOFOLLOW = 0x100 };

typedef int (*visit_fn)(const char *, const struct stat *, int, struct lc_ftw *);

struct place {
    uint64_t dev, ino;
};

struct walk {
    visit_fn visit;
    const unsigned char *kind; /* the type flag for the program, by our kind */
    int flags;
    struct lc_ftw where;
    uint64_t dev;
    char *full;  /* the absolute path; the program gets the part from 'told' on */
    size_t size; /* of 'full' */
    size_t told, len;
    struct place *seen; /* directories, when links are followed */
    size_t n_seen, room;
};

static const unsigned char nftw_kinds[] = {LC_FTW_FILE,    LC_FTW_DIRECTORY, LC_FTW_UNREADABLE,
                                           LC_FTW_NO_STAT, LC_FTW_LINK,      LC_FTW_DIRECTORY_DONE,
                                           LC_FTW_LOST};
static const unsigned char ftw_kinds[] = {LC_FTW_FILE,    LC_FTW_DIRECTORY, LC_FTW_UNREADABLE,
                                          LC_FTW_NO_STAT, LC_FTW_FILE,      LC_FTW_DIRECTORY,
                                          LC_FTW_NO_STAT};

static int entry_show(struct walk *w, const struct stat *st, int kind)
{
    return w->visit(w->full + w->told, st, w->kind[kind], &w->where);
}

/* For a path that is too long for one system call: opens its directories step by step until the
 * rest is short enough, and sets *path to the rest. Returns the descriptor that the rest is
 * relative to, AT_FDCWD, or a negative errno. */
static long parent_open(char **path)
{
    long fd = AT_FDCWD;

    while (lc_bytes_length(*path) >= LC_PATH_MAX) {
        size_t n = LC_PATH_MAX - 1;
        while (n > 0 && (*path)[n] != '/')
            n--;
        (*path)[n] = '\0';
        long next = lc_sys_openat((int)fd, *path, O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
        (*path)[n] = '/';
        if (fd >= 0)
            lc_sys_close((int)fd);
        if (next < 0)
            return next;
        fd = next;
        for (*path += n; **path == '/'; ++*path)
            ;
    }
    return fd;
}

static bool is_open_error(long fd)
{
    return fd < 0 && fd != AT_FDCWD;
}

static int entry_stat(const struct walk *w, struct stat *st, bool follow)
{
    char *rest = w->full;

    if (w->len < LC_PATH_MAX)
        return follow ? lc_tree_stat(w->full, st) : lc_tree_lstat(w->full, st);
    long fd = parent_open(&rest);
    if (is_open_error(fd))
        return (int)lc_return(fd);
    long result = LC_SYS4(__NR_newfstatat, fd, rest, st, follow ? 0 : NOFOLLOW);
    if (fd >= 0)
        lc_sys_close((int)fd);
    return (int)lc_return(result);
}

static void *directory_open(const struct walk *w)
{
    char *rest = w->full;

    if (w->len < LC_PATH_MAX)
        return lc_tree_opendir(w->full);
    long above = parent_open(&rest), fd = above;
    if (!is_open_error(above))
        fd = lc_sys_openat((int)above, rest, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (above >= 0)
        lc_sys_close((int)above);
    void *dir = lc_return(fd) < 0 ? NULL : NEXT(void *, fdopendir, (int))((int)fd);
    if (!dir && fd >= 0)
        lc_sys_close((int)fd);
    return dir;
}

/* The slot of a place in a hash table of 'room' slots: its own, or the free one to put it in. */
static struct place *place_find(struct place *table, size_t room, uint64_t dev, uint64_t ino)
{
    size_t i = (size_t)((ino ^ dev) * 0x9e3779b97f4a7c15u >> 20) & (room - 1);

    while ((table[i].ino || table[i].dev) && (table[i].ino != ino || table[i].dev != dev))
        i = (i + 1) & (room - 1);
    return &table[i];
}

static bool places_grow(struct walk *w)
{
    size_t room = w->room ? 2 * w->room : 64;
    struct place *more = malloc(room * sizeof(*more));

    if (!more)
        return false;
    for (size_t i = 0; i < room; i++)
        more[i] = (struct place){0};
    for (size_t i = 0; i < w->room; i++)
        *place_find(more, room, w->seen[i].dev, w->seen[i].ino) = w->seen[i];
    free(w->seen);
    w->seen = more;
    w->room = room;
    return true;
}

/* 0: the directory is new; 1: it was visited before; -1: no memory. */
static int directory_remember(struct walk *w, const struct stat *st)
{
    if (2 * w->n_seen >= w->room && !places_grow(w)) {
        lc_set_errno(NO_MEMORY);
        return -1;
    }
    struct place *p = place_find(w->seen, w->room, st->st_dev, st->st_ino);
    if (p->ino || p->dev)
        return 1;
    *p = (struct place){st->st_dev, st->st_ino};
    w->n_seen++;
    return 0;
}

/* Append the name to the directory's path, which is 'base' bytes long. */
static bool name_set(struct walk *w, size_t base, const char *name)
{
    size_t n = lc_bytes_length(name);

    if (base + n + 2 > w->size) {
        char *more = realloc(w->full, 2 * (base + n + 2));
        if (!more) {
            lc_set_errno(NO_MEMORY);
            return false;
        }
        w->full = more;
        w->size = 2 * (base + n + 2);
    }
    lc_bytes_move(w->full + base, name, n + 1);
    w->len = base + n;
    return true;
}

/* The kind of the current entry; -1: the walk ends with an error. */
static int kind_find(struct walk *w, struct stat *st)
{
    if (entry_stat(w, st, !(w->flags & LC_FTW_PHYSICAL)) == 0)
        return lc_tree_is(st, LC_MODE_DIRECTORY) ? LC_FTW_DIRECTORY
               : lc_tree_is(st, LC_MODE_LINK)    ? LC_FTW_LINK
                                                 : LC_FTW_FILE;
    if (lc_get_errno() != NO_ACCESS && lc_get_errno() != NO_ENTRY)
        return -1;
    if (w->flags & LC_FTW_PHYSICAL)
        return LC_FTW_NO_STAT;
    return entry_stat(w, st, false) == 0 && lc_tree_is(st, LC_MODE_LINK) ? LC_FTW_LOST
                                                                         : LC_FTW_NO_STAT;
}

static int directory_walk(struct walk *w, const struct stat *st);

static int name_visit(struct walk *w, size_t base, const char *name)
{
    struct stat st;
    int result = 0;

    if (lc_tree_is_dot(name))
        return 0;
    int kind = name_set(w, base, name) ? kind_find(w, &st) : -1;
    if (kind < 0)
        return -1;
    if (kind != LC_FTW_NO_STAT && (w->flags & LC_FTW_MOUNT) && st.st_dev != w->dev)
        return 0;
    if (kind != LC_FTW_DIRECTORY)
        result = entry_show(w, &st, kind);
    else if ((w->flags & LC_FTW_PHYSICAL) || (result = directory_remember(w, &st)) == 0)
        result = directory_walk(w, &st);
    else if (result > 0) /* visited before */
        result = 0;
    return (w->flags & LC_FTW_ACTIONS) && result == LC_FTW_SKIP_SUBTREE ? 0 : result;
}

static int names_visit(struct walk *w, const struct lc_dir_names *names)
{
    size_t at = 0, base = w->len;
    int result = 0, type;

    if (w->full[base - 1] != '/')
        w->full[base++] = '/';
    w->where.level++;
    w->where.base = (int)(base - w->told);
    for (const char *name; result == 0 && (name = lc_dir_names_next(names, &at, &type));)
        result = name_visit(w, base, name);
    return (w->flags & LC_FTW_ACTIONS) && result == LC_FTW_SKIP_SIBLINGS ? 0 : result;
}

/* Read the names in a directory. A listing from the image is opened anew first: the program's
 * function was called for the directory and may have written there. If it removed the directory,
 * there are no names. */
static bool names_read(const struct walk *w, void *dir, struct lc_dir_names *names)
{
    if (lc_list_is_ours(dir)) {
        lc_tree_closedir(dir);
        dir = directory_open(w);
    }
    if (dir)
        return lc_dir_names_read(names, dir);
    *names = (struct lc_dir_names){0};
    return true;
}

static int directory_walk(struct walk *w, const struct stat *st)
{
    struct lc_ftw before = w->where;
    struct lc_dir_names names;
    size_t len = w->len;
    void *dir = directory_open(w);

    if (!dir)
        return lc_get_errno() == NO_ACCESS ? entry_show(w, st, LC_FTW_UNREADABLE) : -1;
    int result = w->flags & LC_FTW_DEPTH ? 0 : entry_show(w, st, LC_FTW_DIRECTORY);
    if (result) {
        int error = lc_get_errno();
        lc_tree_closedir(dir);
        lc_set_errno(error);
        return result;
    }
    if (!names_read(w, dir, &names))
        return -1;
    result = names_visit(w, &names);
    lc_dir_names_free(&names);
    w->where = before;
    w->len = len;
    w->full[len] = '\0';
    return result == 0 && (w->flags & LC_FTW_DEPTH) ? entry_show(w, st, LC_FTW_DIRECTORY_DONE)
                                                    : result;
}

static int root_walk(struct walk *w)
{
    struct stat st;
    int result;

    if (entry_stat(w, &st, !(w->flags & LC_FTW_PHYSICAL)) != 0) {
        if ((w->flags & LC_FTW_PHYSICAL) || lc_get_errno() != NO_ENTRY ||
            entry_stat(w, &st, false) != 0 || !lc_tree_is(&st, LC_MODE_LINK))
            return -1;
        result = entry_show(w, &st, LC_FTW_LOST);
    } else if (!lc_tree_is(&st, LC_MODE_DIRECTORY)) {
        result = entry_show(w, &st, lc_tree_is(&st, LC_MODE_LINK) ? LC_FTW_LINK : LC_FTW_FILE);
    } else {
        w->dev = st.st_dev;
        result = (w->flags & LC_FTW_PHYSICAL) ? 0 : directory_remember(w, &st);
        if (result == 0)
            result = directory_walk(w, &st);
    }
    return (w->flags & LC_FTW_ACTIONS) &&
                   (result == LC_FTW_SKIP_SUBTREE || result == LC_FTW_SKIP_SIBLINGS)
               ? 0
               : result;
}

/* Make the path absolute, so that it ends with what the program gave, without slashes at the end.
 * False: the walk is left to the C library. */
static bool walk_begin(struct walk *w, const char *path)
{
    const struct lc_node *node = lc_client_node();
    struct lc_scratch *room = node ? lc_scratch_take() : NULL;
    size_t given = lc_bytes_length(path);

    w->len = room ? lc_make_absolute(node, room, AT_FDCWD, path) : 0;
    w->size = w->len + LC_PATH_MAX;
    w->full = w->len >= given && w->len < LC_PATH_MAX ? malloc(w->size) : NULL;
    if (w->full) {
        lc_bytes_move(w->full, room->full, w->len + 1);
        w->told = w->len - given;
    }
    lc_scratch_give(room);
    if (!w->full || !lc_bytes_same(w->full + w->told, path))
        return false;
    while (w->len > w->told + 1 && w->full[w->len - 1] == '/')
        w->full[--w->len] = '\0';
    w->where.base = (int)(w->len - w->told);
    while (w->where.base > 0 && w->full[w->told + (size_t)w->where.base - 1] != '/')
        w->where.base--;
    return true;
}

/* True: the walk was made, with *result; false: it is left to the C library. */
static bool tree_walk(const char *path, visit_fn visit, const unsigned char *kinds, int flags,
                      int *result)
{
    struct walk w = {.visit = visit, .kind = kinds, .flags = flags};

    if (flags & ~(LC_FTW_PHYSICAL | LC_FTW_MOUNT | LC_FTW_DEPTH | LC_FTW_ACTIONS)) {
        lc_count_unserved(path);
        return false;
    }
    if (!path || !path[0] || !lc_tree_is_known(path, !(flags & LC_FTW_PHYSICAL)))
        return false;
    bool is_ours = walk_begin(&w, path);
    if (is_ours)
        *result = root_walk(&w);
    int error = lc_get_errno();
    free(w.full);
    free(w.seen);
    lc_set_errno(error);
    return is_ours;
}

#define DEFINE_FTW(name)                                                          \
    EXPORT(int, name, const char *path, visit_fn visit, int most)                 \
    {                                                                             \
        int result;                                                               \
        if (tree_walk(path, visit, ftw_kinds, 0, &result))                        \
            return result;                                                        \
        return NEXT(int, name, (const char *, visit_fn, int))(path, visit, most); \
    }

#define DEFINE_NFTW(name)                                                                     \
    EXPORT(int, name, const char *path, visit_fn visit, int most, int flags)                  \
    {                                                                                         \
        int result;                                                                           \
        if (tree_walk(path, visit, nftw_kinds, flags, &result))                               \
            return result;                                                                    \
        return NEXT(int, name, (const char *, visit_fn, int, int))(path, visit, most, flags); \
    }

DEFINE_FTW(ftw)
DEFINE_FTW(ftw64)
DEFINE_NFTW(nftw)
DEFINE_NFTW(nftw64)
