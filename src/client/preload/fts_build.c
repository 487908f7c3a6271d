/* SPDX-License-Identifier: MIT */
/* fts_build.c - the entries of a directory, as fts shows them */
#include "client/preload/fts.h"
#include "client/preload/libc.h"
#include "image/bytes.h"

enum { MODE_FILE = 0100000, NAME_TOO_LONG = 36 };

struct lc_ftsent *lc_ftsent_new(const struct lc_fts *fts, const char *name, size_t len)
{
    size_t head = (offsetof(struct lc_ftsent, name) + len + 2 + 15) & ~(size_t)15;
    bool has_stat = !(fts->options & LC_FTS_NOSTAT);
    struct lc_ftsent *e = malloc(head + (has_stat ? sizeof(struct stat) : 0));

    if (!e)
        return NULL;
    *e = (struct lc_ftsent){.path = fts->path, .instr = LC_FTS_NOINSTR};
    e->namelen = (unsigned short)len;
    e->statp = has_stat ? (struct stat *)((char *)e + head) : NULL;
    lc_bytes_move(e->name, name, len);
    e->name[len] = '\0';
    return e;
}

void lc_ftsent_free_list(struct lc_ftsent *head)
{
    while (head) {
        struct lc_ftsent *next = head->link;
        free(head);
        head = next;
    }
}

static unsigned short directory_info(struct lc_ftsent *e, const struct stat *st)
{
    e->dev = st->st_dev;
    e->ino = st->st_ino;
    e->nlink = st->st_nlink;
    if (lc_tree_is_dot(e->name))
        return LC_FTS_DOT;
    for (struct lc_ftsent *p = e->parent; p->level >= LC_FTS_ROOT; p = p->parent)
        if (p->ino == e->ino && p->dev == e->dev) {
            e->cycle = p;
            return LC_FTS_DC;
        }
    return LC_FTS_D;
}

unsigned short lc_ftsent_stat(const struct lc_fts *fts, struct lc_ftsent *e, bool follow)
{
    struct stat own, *st = e->statp ? e->statp : &own;

    follow = follow || (fts->options & LC_FTS_LOGICAL);
    if ((follow ? lc_tree_stat(e->accpath, st) : lc_tree_lstat(e->accpath, st)) != 0) {
        int error = lc_get_errno();
        if (follow && lc_tree_lstat(e->accpath, st) == 0) {
            lc_set_errno(0);
            return LC_FTS_SLNONE;
        }
        e->error = error;
        *st = (struct stat){0};
        return LC_FTS_NS;
    }
    if (lc_tree_is(st, LC_MODE_DIRECTORY))
        return directory_info(e, st);
    return lc_tree_is(st, LC_MODE_LINK) ? LC_FTS_SL
           : lc_tree_is(st, MODE_FILE)  ? LC_FTS_F
                                        : LC_FTS_DEFAULT;
}

/* If there is no memory for sorting, the list stays as it is. */
struct lc_ftsent *lc_fts_sort(struct lc_fts *fts, struct lc_ftsent *head, int count)
{
    if (count > fts->nitems) {
        struct lc_ftsent **more = realloc(fts->array, ((size_t)count + 40) * sizeof(*more));
        if (!more)
            return head;
        fts->array = more;
        fts->nitems = count + 40;
    }
    struct lc_ftsent **at = fts->array;
    for (struct lc_ftsent *e = head; e; e = e->link)
        *at++ = e;
    if (qsort)
        qsort(fts->array, (size_t)count, sizeof(*at),
              (int (*)(const void *, const void *))fts->compare);
    for (int i = 0; i < count; i++)
        fts->array[i]->link = i + 1 < count ? fts->array[i + 1] : NULL;
    return fts->array[0];
}

/* The entries of a directory, as they are read. */
struct entry_list {
    struct lc_ftsent *head, **tail;
    int count;
    long
        directories; /* subdirectories not seen yet by the link count, or -1 if they are not
                        counted. With FTS_NOSTAT, once it is 0 the remaining entries need no stat */
};

static long directories_expected(const struct lc_fts *fts, enum lc_fts_purpose purpose)
{
    if (purpose == LC_FTS_FOR_NAMES)
        return 0;
    if ((fts->options & LC_FTS_NOSTAT) && (fts->options & LC_FTS_PHYSICAL))
        return (int)((long)fts->cur->nlink - (fts->options & LC_FTS_SEEDOT ? 0 : 2));
    return -1;
}

/* Append an entry. False: no memory, or the path is too long; errno is set. */
static bool entry_add(struct lc_fts *fts, struct entry_list *list, const char *name, int type,
                      bool nostat)
{
    size_t at = lc_ftsent_end(fts->cur) + 1, len = lc_bytes_length(name);
    struct lc_ftsent *e = NULL;

    if (at + len >= LC_FTS_PATH_SIZE)
        lc_set_errno(NAME_TOO_LONG);
    else
        e = lc_ftsent_new(fts, name, len);
    if (!e)
        return false;
    e->level = (short)(fts->cur->level + 1);
    e->parent = fts->cur;
    e->pathlen = (unsigned short)(at + len);
    e->accpath = e->path;
    if (list->directories == 0 ||
        (nostat && type != LC_TYPE_DIRECTORY && type != LC_TYPE_UNKNOWN)) {
        e->info = LC_FTS_NSOK;
    } else {
        lc_bytes_move(fts->path + at, name, len + 1);
        e->info = lc_ftsent_stat(fts, e, false);
        list->directories -= list->directories > 0 &&
                             (e->info == LC_FTS_D || e->info == LC_FTS_DC || e->info == LC_FTS_DOT);
    }
    *list->tail = e;
    list->tail = &e->link;
    list->count++;
    return true;
}

static bool entries_fill(struct lc_fts *fts, struct entry_list *list,
                         const struct lc_dir_names *names, enum lc_fts_purpose purpose)
{
    bool nostat = purpose != LC_FTS_FOR_NAMES && (fts->options & LC_FTS_NOSTAT) &&
                  (fts->options & LC_FTS_PHYSICAL);
    size_t at = 0, end = lc_ftsent_end(fts->cur);
    int type;

    fts->path[end] = '/';
    for (const char *name; (name = lc_dir_names_next(names, &at, &type));)
        if (((fts->options & LC_FTS_SEEDOT) || !lc_tree_is_dot(name)) &&
            !entry_add(fts, list, name, type, nostat))
            return false;
    fts->path[list->count ? end + 1 : end] = '\0'; /* as glibc leaves it */
    return true;
}

static struct lc_ftsent *build_undo(struct lc_fts *fts, struct entry_list *list)
{
    int error = lc_get_errno();

    lc_ftsent_free_list(list->head);
    fts->cur->info = LC_FTS_ERR;
    fts->options |= LC_FTS_STOP;
    lc_set_errno(error);
    return NULL;
}

struct lc_ftsent *lc_fts_build(struct lc_fts *fts, enum lc_fts_purpose purpose)
{
    struct entry_list list = {.tail = &list.head,
                              .directories = directories_expected(fts, purpose)};
    struct lc_ftsent *cur = fts->cur;
    struct lc_dir_names names;
    void *dir = lc_tree_opendir(cur->accpath);

    if (!dir) {
        if (purpose == LC_FTS_FOR_READ) {
            cur->info = LC_FTS_DNR;
            cur->error = lc_get_errno();
        }
        return NULL;
    }
    if (!lc_dir_names_read(&names, dir))
        return build_undo(fts, &list);
    bool is_good = entries_fill(fts, &list, &names, purpose);
    lc_dir_names_free(&names);
    if (!is_good)
        return build_undo(fts, &list);
    if (list.count == 0 && purpose == LC_FTS_FOR_READ)
        cur->info = LC_FTS_DP;
    return list.count > 1 && fts->compare ? lc_fts_sort(fts, list.head, list.count) : list.head;
}
