/* SPDX-License-Identifier: MIT */
/* list.c - directories listed: opendir, readdir and the like, scandir, glob
 *
 * A listing from the image is a stream of our own. Its first word is a magic number, where the
 * C library's streams have their descriptor.
 */
#include <linux/fcntl.h>

#include "client/preload/libc_names.h"
#include "client/preload/path_query.h"
#include "client/preload/dirent.h"
#include "client/preload/glob.h"
#include "client/preload/libc.h"
#include "client/preload/next.h"
#include "client/preload/tree.h"
#include "image/bytes.h"
#include "node/syscall.h"

#define MAGIC 0x4c6f616463617374u /* "Loadcast"; too large to be a descriptor */

struct stream {
    uint64_t magic;
    const struct lc_node *node;
    const struct lc_inode *dir;
    const struct lc_dirent *item;
    uint32_t count; /* number of items, without "." and ".." */
    uint32_t at;
    uint64_t parent_ino;
    int fd; /* descriptor of the real directory, opened when dirfd is called; else -1 */
    struct dirent now;
    char path[]; /* the original directory */
};

static struct stream *stream_ours(void *dir)
{
    struct stream *s = dir;

    return s && s->magic == MAGIC ? s : NULL;
}

bool lc_list_is_ours(void *dir)
{
    return stream_ours(dir);
}

static struct stream *stream_new(const struct lc_query *query)
{
    uint32_t count = 0;
    const struct lc_dirent *item = lc_look_dirents(&query->node->look, query->inode, &count);
    struct stream *s = malloc ? malloc(sizeof(*s) + query->len + 1) : NULL;

    if (!s)
        return NULL;
    s->magic = MAGIC;
    s->node = query->node;
    s->dir = query->inode;
    s->item = item;
    s->count = count;
    s->at = 0;
    s->fd = -1;
    const struct lc_inode *parent = query->what->parent == LC_NONE
                                        ? query->inode
                                        : lc_look_inode(&query->node->look, query->what->parent);
    s->parent_ino = parent ? parent->ino : query->inode->ino;
    lc_bytes_move(s->path, query->path, query->len + 1);
    return s;
}

/* Answer from the image. True: *dir is the stream, or NULL with errno set. */
static bool opendir_answer(const char *path, void **dir)
{
    struct lc_query query;

    lc_query_begin(&query, AT_FDCWD, path, LC_QUERY_LIST);
    *dir = NULL;
    if (query.verdict == LC_KNOWN && query.what->kind == LC_KIND_FILE) {
        query.verdict = LC_ABSENT;
        query.error = 20; /* ENOTDIR */
    }
    if (query.verdict == LC_KNOWN) {
        if (lc_node_is_written(query.node, query.entry))
            lc_query_pass(&query, LC_COUNT_PASS_WRITTEN);
        else if (!(query.inode->flags & LC_INODE_LISTED) || !(*dir = stream_new(&query)))
            lc_query_pass(&query, LC_COUNT_PASS_UNKNOWN);
        else
            lc_node_count(query.node, LC_COUNT_LIST);
    } else if (query.verdict == LC_ABSENT) {
        lc_set_errno(query.error);
    }
    lc_query_end(&query);
    return query.verdict != LC_PASS;
}

EXPORT(void *, opendir, const char *path)
{
    void *dir;

    if (opendir_answer(path, &dir))
        return dir;
    return NEXT(void *, opendir, (const char *))(path);
}

static void entry_fill(struct stream *s, uint64_t ino, uint8_t type, const char *name, size_t len)
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

static struct dirent *entry_next(struct stream *s)
{
    uint32_t i = s->at;

    if (i >= s->count + 2)
        return NULL;
    s->at++;
    if (i == 0)
        entry_fill(s, s->dir->ino, LC_TYPE_DIRECTORY, ".", 1);
    else if (i == 1)
        entry_fill(s, s->parent_ino, LC_TYPE_DIRECTORY, "..", 2);
    else
        entry_fill(s, s->item[i - 2].ino, s->item[i - 2].type,
                   lc_look_name(&s->node->look, s->item[i - 2].name), s->item[i - 2].name_len);
    return &s->now;
}

#define DEFINE_READDIR(name)                                          \
    EXPORT(void *, name, void *dir)                                   \
    {                                                                 \
        struct stream *s = stream_ours(dir);                          \
        return s ? entry_next(s) : NEXT(void *, name, (void *))(dir); \
    }

#define DEFINE_READDIR_R(name)                                                              \
    EXPORT(int, name, void *dir, struct dirent *entry, struct dirent **result)              \
    {                                                                                       \
        struct stream *s = stream_ours(dir);                                                \
        if (!s)                                                                             \
            return NEXT(int, name, (void *, struct dirent *, struct dirent **))(dir, entry, \
                                                                                result);    \
        struct dirent *d = entry_next(s);                                                   \
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
    struct stream *s = stream_ours(dir);

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
    struct stream *s = stream_ours(dir);

    if (s)
        s->at = 0;
    else
        NEXT(void, rewinddir, (void *))(dir);
}

EXPORT(long, telldir, void *dir)
{
    struct stream *s = stream_ours(dir);

    return s ? (long)s->at : NEXT(long, telldir, (void *))(dir);
}

EXPORT(void, seekdir, void *dir, long at)
{
    struct stream *s = stream_ours(dir);

    if (s)
        s->at = at < 0 ? 0 : (uint32_t)at;
    else
        NEXT(void, seekdir, (void *, long))(dir, at);
}

/* The descriptor is that of the real directory, opened at the first call. */
EXPORT(int, dirfd, void *dir)
{
    struct stream *s = stream_ours(dir);

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

/* scandir of a listing from the image. */
typedef int (*filter_fn)(const struct dirent *);
typedef int (*order_fn)(const struct dirent **, const struct dirent **);

static struct dirent *entry_copy(const struct dirent *d)
{
    struct dirent *copy = malloc(d->d_reclen);

    if (copy)
        lc_bytes_move((char *)copy, (const char *)d, d->d_reclen);
    return copy;
}

static int scan_undo(struct dirent **list, int count)
{
    while (count > 0)
        free(list[--count]);
    free(list);
    lc_set_errno(12 /* ENOMEM */);
    return -1;
}

static int scandir_ours(struct stream *s, struct dirent ***result, filter_fn filter, order_fn order)
{
    struct dirent **list = malloc((s->count + 3) * sizeof(*list)), *d;
    int count = 0;

    while (list && (d = entry_next(s))) {
        if (filter && !filter(d))
            continue;
        if (!(list[count] = entry_copy(d)))
            return scan_undo(list, count);
        count++;
    }
    if (!list)
        return scan_undo(NULL, 0);
    if (order && qsort)
        qsort(list, (size_t)count, sizeof(*list), (int (*)(const void *, const void *))order);
    *result = list;
    return count;
}

#define DEFINE_SCANDIR(name)                                                                       \
    EXPORT(int, name, const char *path, struct dirent ***result, filter_fn filter, order_fn order) \
    {                                                                                              \
        void *dir;                                                                                 \
        if (!opendir_answer(path, &dir))                                                           \
            return NEXT(int, name, (const char *, struct dirent ***, filter_fn, order_fn))(        \
                path, result, filter, order);                                                      \
        if (!dir)                                                                                  \
            return -1;                                                                             \
        int n = scandir_ours(dir, result, filter, order);                                          \
        stream_ours(dir)->magic = 0;                                                               \
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
