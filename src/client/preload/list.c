/* SPDX-License-Identifier: MIT */
/* list.c - directories listed: opendir and what follows, scandir, glob
 *
 * A listing from the image is a stream of our own, told from the C library's by its first word,
 * where that one keeps a descriptor.
 */
#include <linux/fcntl.h>

#include "client/preload/libc_names.h"
#include "client/preload/ask.h"
#include "client/preload/dirent.h"
#include "client/preload/glob.h"
#include "client/preload/libc.h"
#include "client/preload/next.h"
#include "client/preload/tree.h"
#include "image/bytes.h"
#include "node/syscall.h"

#define MAGIC 0x4c6f616463617374u /* "Loadcast": as a descriptor far out of reach */

struct stream {
    uint64_t magic;
    const struct lc_node *node;
    const struct lc_inode *dir;
    const struct lc_dirent *item;
    uint32_t count; /* of items; "." and ".." come before them */
    uint32_t at;
    uint64_t parent_ino;
    int fd; /* the real directory, once somebody asked for it; else -1 */
    struct dirent now;
    char path[]; /* original */
};

static struct stream *ours(void *dir)
{
    struct stream *s = dir;

    return s && s->magic == MAGIC ? s : NULL;
}

bool lc_list_is_ours(void *dir)
{
    return ours(dir);
}

static struct stream *make_stream(const struct lc_ask *ask)
{
    uint32_t count = 0;
    const struct lc_dirent *item = lc_look_dirents(&ask->node->look, ask->inode, &count);
    struct stream *s = malloc ? malloc(sizeof(*s) + ask->len + 1) : NULL;

    if (!s)
        return NULL;
    s->magic = MAGIC;
    s->node = ask->node;
    s->dir = ask->inode;
    s->item = item;
    s->count = count;
    s->at = 0;
    s->fd = -1;
    const struct lc_inode *parent = ask->what->parent == LC_NONE
                                        ? ask->inode
                                        : lc_look_inode(&ask->node->look, ask->what->parent);
    s->parent_ino = parent ? parent->ino : ask->inode->ino;
    lc_bytes_move(s->path, ask->path, ask->len + 1);
    return s;
}

/* True: answered; *dir is the stream, or NULL with errno set. */
static bool answer_opendir(const char *path, void **dir)
{
    struct lc_ask ask;

    lc_ask_begin(&ask, AT_FDCWD, path, 0);
    *dir = NULL;
    if (ask.verdict == LC_KNOWN && ask.what->kind == LC_KIND_FILE) {
        ask.verdict = LC_ABSENT;
        ask.error = 20; /* ENOTDIR */
    }
    if (ask.verdict == LC_KNOWN) {
        if (lc_node_is_written(ask.node, ask.entry))
            lc_ask_pass(&ask, LC_COUNT_PASS_WRITTEN);
        else if (!(ask.inode->flags & LC_INODE_LISTED) || !(*dir = make_stream(&ask)))
            lc_ask_pass(&ask, LC_COUNT_PASS_UNKNOWN);
        else
            lc_node_count(ask.node, LC_COUNT_LIST);
    } else if (ask.verdict == LC_ABSENT) {
        lc_set_errno(ask.error);
    }
    lc_ask_end(&ask);
    return ask.verdict != LC_PASS;
}

EXPORT(void *, opendir, const char *path)
{
    void *dir;

    if (answer_opendir(path, &dir))
        return dir;
    return NEXT(void *, opendir, (const char *))(path);
}

static void fill_entry(struct stream *s, uint64_t ino, uint8_t type, const char *name, size_t len)
{
    struct dirent *d = &s->now;

    if (len > sizeof(d->d_name) - 1)
        len = sizeof(d->d_name) - 1;
    d->d_ino = ino;
    d->d_off = (int64_t)s->at;
    d->d_reclen = (uint16_t)((offsetof(struct dirent, d_name) + len + 1 + 7) & ~(size_t)7);
    d->d_type = type;
    lc_bytes_move(d->d_name, name, len);
    d->d_name[len] = '\0';
}

static struct dirent *next_entry(struct stream *s)
{
    uint32_t i = s->at;

    if (i >= s->count + 2)
        return NULL;
    s->at++;
    if (i == 0)
        fill_entry(s, s->dir->ino, LC_TYPE_DIRECTORY, ".", 1);
    else if (i == 1)
        fill_entry(s, s->parent_ino, LC_TYPE_DIRECTORY, "..", 2);
    else
        fill_entry(s, s->item[i - 2].ino, s->item[i - 2].type,
                   lc_look_name(&s->node->look, s->item[i - 2].name), s->item[i - 2].name_len);
    return &s->now;
}

#define DEFINE_READDIR(name)                                          \
    EXPORT(void *, name, void *dir)                                   \
    {                                                                 \
        struct stream *s = ours(dir);                                 \
        return s ? next_entry(s) : NEXT(void *, name, (void *))(dir); \
    }

#define DEFINE_READDIR_R(name)                                                              \
    EXPORT(int, name, void *dir, struct dirent *entry, struct dirent **result)              \
    {                                                                                       \
        struct stream *s = ours(dir);                                                       \
        if (!s)                                                                             \
            return NEXT(int, name, (void *, struct dirent *, struct dirent **))(dir, entry, \
                                                                                result);    \
        struct dirent *d = next_entry(s);                                                   \
        *result = d ? entry : NULL;                                                         \
        if (d)                                                                              \
            lc_bytes_move((char *)entry, (const char *)d, d->d_reclen);                     \
        return 0;                                                                           \
    }

DEFINE_READDIR(readdir)
DEFINE_READDIR(readdir64)
DEFINE_READDIR_R(readdir_r)
DEFINE_READDIR_R(readdir64_r)

EXPORT(int, closedir, void *dir)
{
    struct stream *s = ours(dir);

    if (!s)
        return NEXT(int, closedir, (void *))(dir);
    if (s->fd >= 0)
        lc_sys_close(s->fd);
    s->magic = 0;
    free(s);
    return 0;
}

EXPORT(void, rewinddir, void *dir)
{
    struct stream *s = ours(dir);

    if (s)
        s->at = 0;
    else
        NEXT(void, rewinddir, (void *))(dir);
}

EXPORT(long, telldir, void *dir)
{
    struct stream *s = ours(dir);

    return s ? (long)s->at : NEXT(long, telldir, (void *))(dir);
}

EXPORT(void, seekdir, void *dir, long at)
{
    struct stream *s = ours(dir);

    if (s)
        s->at = at < 0 ? 0 : (uint32_t)at;
    else
        NEXT(void, seekdir, (void *, long))(dir, at);
}

/* Who wants a descriptor gets the real directory's. */
EXPORT(int, dirfd, void *dir)
{
    struct stream *s = ours(dir);

    if (!s)
        return NEXT(int, dirfd, (void *))(dir);
    if (s->fd < 0) {
        long fd = lc_sys_open(s->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        lc_node_count_passed(s->node, LC_COUNT_PASS_DIRECTORY, s->path);
        if (fd < 0)
            return (int)lc_return(fd);
        s->fd = (int)fd;
    }
    return s->fd;
}

/* scandir of a listing of ours. */
typedef int (*filter_fn)(const struct dirent *);
typedef int (*order_fn)(const struct dirent **, const struct dirent **);

static struct dirent *copy_entry(const struct dirent *d)
{
    struct dirent *copy = malloc(d->d_reclen);

    if (copy)
        lc_bytes_move((char *)copy, (const char *)d, d->d_reclen);
    return copy;
}

static int give_up(struct dirent **list, int count)
{
    while (count > 0)
        free(list[--count]);
    free(list);
    lc_set_errno(12 /* ENOMEM */);
    return -1;
}

static int scan(struct stream *s, struct dirent ***result, filter_fn filter, order_fn order)
{
    struct dirent **list = malloc((s->count + 3) * sizeof(*list)), *d;
    int count = 0;

    while (list && (d = next_entry(s))) {
        if (filter && !filter(d))
            continue;
        if (!(list[count] = copy_entry(d)))
            return give_up(list, count);
        count++;
    }
    if (!list)
        return give_up(NULL, 0);
    if (order && qsort)
        qsort(list, (size_t)count, sizeof(*list), (int (*)(const void *, const void *))order);
    *result = list;
    return count;
}

#define DEFINE_SCANDIR(name)                                                                       \
    EXPORT(int, name, const char *path, struct dirent ***result, filter_fn filter, order_fn order) \
    {                                                                                              \
        void *dir;                                                                                 \
        if (!answer_opendir(path, &dir))                                                           \
            return NEXT(int, name, (const char *, struct dirent ***, filter_fn, order_fn))(        \
                path, result, filter, order);                                                      \
        if (!dir)                                                                                  \
            return -1;                                                                             \
        int n = scan(dir, result, filter, order);                                                  \
        ours(dir)->magic = 0;                                                                      \
        free(dir);                                                                                 \
        return n;                                                                                  \
    }

LC_LIBC_SCANDIR(DEFINE_SCANDIR)

static void close_for_glob(void *dir)
{
    lc_export_closedir(dir);
}

static bool does_glob(void)
{
    const struct lc_node *node = lc_client_node();

    return node && lc_node_is_tested(node, LC_GLIBC_GLOB);
}

LC_DEFINE_GLOB(glob, does_glob(), lc_export_opendir, lc_export_readdir64, close_for_glob)
LC_DEFINE_GLOB(glob64, does_glob(), lc_export_opendir, lc_export_readdir64, close_for_glob)
