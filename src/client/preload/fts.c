/* SPDX-License-Identifier: MIT */
/* fts.c - fts_open, fts_read, fts_children and fts_close: a tree read entry by entry
 *
 * A walk that does not change the working directory and starts at a path that the image knows
 * is made here, with glibc's structures. All other walks are the C library's. The field
 * fts_rfd, which holds a descriptor in the C library's walks, tells them apart. fts_set only
 * sets a field of an entry: the C library's function serves both.
 */
#include "client/preload/fts.h"

#include "client/preload/libc.h"
#include "client/preload/next.h"
#include "image/bytes.h"

enum { INVALID = 22, NO_ENTRY = 2 };

static bool fts_is_ours(const struct lc_fts *fts)
{
    return fts && fts->rfd == LC_FTS_OURS;
}

/* Is the walk to be made here (see above)? Empty names are left to the C library, which refuses
 * them. */
static bool walk_is_ours(char *const *paths, int options)
{
    bool follow = options & (LC_FTS_LOGICAL | LC_FTS_COMFOLLOW), is_known = false;

    const struct lc_node *node = lc_client_node();

    if (!node || !lc_node_is_tested(node, LC_GLIBC_FTS) || !paths || (options & ~LC_FTS_OPTIONS))
        return false;
    if (!(options & (LC_FTS_LOGICAL | LC_FTS_NOCHDIR))) {
        for (; *paths; paths++)
            lc_count_unserved(*paths);
        return false;
    }
    for (; *paths; paths++) {
        if (!(*paths)[0] || lc_bytes_length(*paths) >= LC_PATH_MAX)
            return false;
        is_known |= lc_tree_is_known(*paths, follow);
    }
    return is_known;
}

static struct lc_ftsent *root_new(const struct lc_fts *fts, const char *path,
                                  struct lc_ftsent *parent)
{
    struct lc_ftsent *e = lc_ftsent_new(fts, path, lc_bytes_length(path));

    if (!e)
        return NULL;
    e->level = LC_FTS_ROOT;
    e->parent = parent;
    e->accpath = e->name;
    e->info = lc_ftsent_stat(fts, e, fts->options & LC_FTS_COMFOLLOW);
    if (e->info == LC_FTS_DOT)
        e->info = LC_FTS_D;
    return e;
}

/* Add the roots in the order given; if they will be sorted, in reverse order as glibc has it. */
static bool roots_add(struct lc_fts *fts, char *const *paths, struct lc_ftsent *parent)
{
    struct lc_ftsent *head = NULL, **tail = &head;
    int count = 0;

    for (; *paths; paths++, count++) {
        struct lc_ftsent *e = root_new(fts, *paths, parent);
        if (!e) {
            lc_ftsent_free_list(head);
            return false;
        }
        if (fts->compare) {
            e->link = head;
            head = e;
        } else {
            *tail = e;
            tail = &e->link;
        }
    }
    fts->cur->link = fts->compare && count > 1 ? lc_fts_sort(fts, head, count) : head;
    return true;
}

static void *fts_open_undo(struct lc_fts *fts, struct lc_ftsent *parent)
{
    int error = lc_get_errno();

    free(parent);
    if (fts) {
        free(fts->cur);
        free(fts->path);
    }
    free(fts);
    lc_set_errno(error);
    return NULL;
}

static void *fts_open_ours(char *const *paths, int options, lc_fts_order_fn compare)
{
    struct lc_fts *fts = malloc(sizeof(*fts));
    struct lc_ftsent *parent = NULL;

    if (!fts)
        return NULL;
    *fts = (struct lc_fts){.rfd = LC_FTS_OURS, .compare = compare};
    fts->options = options | LC_FTS_NOCHDIR;
    fts->pathlen = LC_FTS_PATH_SIZE;
    fts->path = malloc(LC_FTS_PATH_SIZE);
    if (!fts->path || !(parent = lc_ftsent_new(fts, "", 0)))
        return fts_open_undo(fts, parent);
    parent->level = LC_FTS_ROOT_PARENT;
    fts->cur = lc_ftsent_new(fts, "", 0);
    if (!fts->cur || !roots_add(fts, paths, parent))
        return fts_open_undo(fts, parent);
    fts->cur->info = LC_FTS_INIT;
    fts->cur->parent = parent;
    return fts;
}

static int fts_close_ours(struct lc_fts *fts)
{
    struct lc_ftsent *e = fts->cur;

    while (e) {
        struct lc_ftsent *next = e->level < LC_FTS_ROOT ? NULL : e->link ? e->link : e->parent;
        free(e);
        e = next;
    }
    lc_ftsent_free_list(fts->child);
    free(fts->array);
    free(fts->path);
    fts->rfd = 0;
    free(fts);
    return 0;
}

/* Go to the next root. Its path is the name as given; its name is what follows the last slash. */
static struct lc_ftsent *root_enter(struct lc_fts *fts, struct lc_ftsent *e)
{
    size_t slash = e->namelen;

    e->pathlen = e->namelen;
    lc_bytes_move(fts->path, e->name, e->namelen + 1u);
    while (slash > 0 && e->name[slash - 1] != '/')
        slash--;
    if (slash > 1 || (slash == 1 && e->name[1])) {
        e->namelen = (unsigned short)(e->namelen - slash);
        lc_bytes_move(e->name, e->name + slash, e->namelen + 1u);
    }
    e->accpath = e->path = fts->path;
    fts->dev = e->dev;
    return e;
}

static struct lc_ftsent *name_enter(struct lc_fts *fts, struct lc_ftsent *e)
{
    size_t at = lc_ftsent_end(e->parent);

    fts->path[at] = '/';
    lc_bytes_move(fts->path + at + 1, e->name, e->namelen + 1u);
    return e;
}

static void children_free(struct lc_fts *fts)
{
    lc_ftsent_free_list(fts->child);
    fts->child = NULL;
}

/* The program has been shown this directory: enter it, or skip it. */
static struct lc_ftsent *directory_descend(struct lc_fts *fts, struct lc_ftsent *e, int instr)
{
    if (instr == LC_FTS_SKIP || ((fts->options & LC_FTS_XDEV) && e->dev != fts->dev)) {
        children_free(fts);
        e->info = LC_FTS_DP;
        return e;
    }
    if (fts->child && (fts->options & LC_FTS_NAMEONLY)) {
        fts->options &= ~LC_FTS_NAMEONLY;
        children_free(fts);
    }
    if (!fts->child && !(fts->child = lc_fts_build(fts, LC_FTS_FOR_READ)))
        return fts->options & LC_FTS_STOP ? NULL : e;
    fts->cur = fts->child;
    fts->child = NULL;
    return name_enter(fts, fts->cur);
}

/* The last entry of a directory has been shown: return to the directory. At the end of the walk
 * NULL, with errno 0. */
static struct lc_ftsent *directory_ascend(struct lc_fts *fts, struct lc_ftsent *e)
{
    struct lc_ftsent *up = e->parent;

    free(e);
    fts->cur = up;
    if (up->level == LC_FTS_ROOT_PARENT) {
        free(up);
        fts->cur = NULL;
        lc_set_errno(0);
        return NULL;
    }
    fts->path[up->pathlen] = '\0';
    up->info = up->error ? LC_FTS_ERR : LC_FTS_DP;
    return up;
}

static struct lc_ftsent *entry_next(struct lc_fts *fts, struct lc_ftsent *e)
{
    for (struct lc_ftsent *next; (next = e->link); e = next) {
        free(e);
        fts->cur = next;
        if (next->level == LC_FTS_ROOT)
            return root_enter(fts, next);
        if (next->instr == LC_FTS_SKIP)
            continue;
        if (next->instr == LC_FTS_FOLLOW) {
            next->info = lc_ftsent_stat(fts, next, true);
            next->instr = LC_FTS_NOINSTR;
        }
        return name_enter(fts, next);
    }
    return directory_ascend(fts, e);
}

static struct lc_ftsent *fts_read_ours(struct lc_fts *fts)
{
    struct lc_ftsent *e = fts->cur;

    if (!e || (fts->options & LC_FTS_STOP))
        return NULL;
    int instr = e->instr;
    e->instr = LC_FTS_NOINSTR;
    if (instr == LC_FTS_AGAIN ||
        (instr == LC_FTS_FOLLOW && (e->info == LC_FTS_SL || e->info == LC_FTS_SLNONE))) {
        e->info = lc_ftsent_stat(fts, e, instr == LC_FTS_FOLLOW);
        return e;
    }
    return e->info == LC_FTS_D ? directory_descend(fts, e, instr) : entry_next(fts, e);
}

static struct lc_ftsent *fts_children_ours(struct lc_fts *fts, int instr)
{
    if (instr != 0 && instr != LC_FTS_NAMEONLY) {
        lc_set_errno(INVALID);
        return NULL;
    }
    lc_set_errno(0);
    if (!fts->cur || (fts->options & LC_FTS_STOP))
        return NULL;
    if (fts->cur->info == LC_FTS_INIT)
        return fts->cur->link;
    if (fts->cur->info != LC_FTS_D)
        return NULL;
    children_free(fts);
    if (instr == LC_FTS_NAMEONLY)
        fts->options |= LC_FTS_NAMEONLY;
    fts->child = lc_fts_build(fts, instr ? LC_FTS_FOR_NAMES : LC_FTS_FOR_CHILDREN);
    return fts->child;
}

#define DEFINE_FTS(prefix)                                                                        \
    EXPORT(void *, prefix##_open, char *const *paths, int options, lc_fts_order_fn compare)       \
    {                                                                                             \
        if (walk_is_ours(paths, options))                                                         \
            return fts_open_ours(paths, options, compare);                                        \
        return NEXT(void *, prefix##_open, (char *const *, int, lc_fts_order_fn))(paths, options, \
                                                                                  compare);       \
    }                                                                                             \
    EXPORT(void *, prefix##_read, struct lc_fts *fts)                                             \
    {                                                                                             \
        return fts_is_ours(fts) ? fts_read_ours(fts)                                              \
                                : NEXT(void *, prefix##_read, (struct lc_fts *))(fts);            \
    }                                                                                             \
    EXPORT(void *, prefix##_children, struct lc_fts *fts, int instr)                              \
    {                                                                                             \
        return fts_is_ours(fts)                                                                   \
                   ? fts_children_ours(fts, instr)                                                \
                   : NEXT(void *, prefix##_children, (struct lc_fts *, int))(fts, instr);         \
    }                                                                                             \
    EXPORT(int, prefix##_close, struct lc_fts *fts)                                               \
    {                                                                                             \
        return fts_is_ours(fts) ? fts_close_ours(fts)                                             \
                                : NEXT(int, prefix##_close, (struct lc_fts *))(fts);              \
    }

DEFINE_FTS(fts)
DEFINE_FTS(fts64)
