/* SPDX-License-Identifier: MIT */
/* read_path.c - read a path of the file system into a tree */
#include "record/read_path.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/path.h"

enum { MOST_LINKS = 40 /* as the kernel */ };

int lc_path_read_mount(struct lc_path_reader *reader, const char *path, struct lc_tree_entry *node)
{
    const struct lc_mountpoint *m = lc_mounts_find(reader->mounts, path);

    node->stat.mount = lc_tree_mount(reader->tree, m->point, m->type, m->source);
    return node->stat.mount == LC_NONE ? -1 : 0;
}

static int read_link(const char *path, struct lc_tree_entry *node)
{
    char target[LC_PATH_MAX];
    ssize_t n = readlink(path, target, sizeof(target) - 1);

    if (n < 0)
        return -1;
    target[n] = '\0';
    return lc_tree_entry_set_link(node, target);
}

/* An entry of a path that is not there; -1: whether it is there is not known. */
static int set_error(struct lc_tree_entry *node, int error)
{
    if (error != ENOENT && error != ENOTDIR)
        return errno = error, -1;
    lc_tree_entry_set_absent(node, error);
    return 0;
}

int lc_path_read_stat(struct lc_path_reader *reader, const char *path, struct lc_tree_entry *node)
{
    struct stat st;

    if (lstat(path, &st) < 0)
        return set_error(node, errno);
    lc_tree_entry_set_stat(node, &st);
    node->source = LC_SOURCE_NONE;
    if (node->kind != LC_KIND_SYMLINK && lc_path_has_acl(path))
        node->stat.flags |= LC_INODE_ACL;
    if (lc_path_read_mount(reader, path, node) < 0)
        return -1;
    return node->kind == LC_KIND_SYMLINK ? read_link(path, node) : 0;
}

/* The same from an answer that has come already. */
static int set_answer(struct lc_path_reader *reader, const char *path, struct lc_tree_entry *node,
                      const struct lc_ahead *a)
{
    if (a->error)
        return set_error(node, a->error);
    lc_tree_entry_set_stat(node, &a->st);
    node->source = LC_SOURCE_NONE;
    node->stat.flags |= a->has_acl ? LC_INODE_ACL : 0;
    if (lc_path_read_mount(reader, path, node) < 0)
        return -1;
    if (node->kind != LC_KIND_SYMLINK)
        return 0;
    return a->target ? lc_tree_entry_set_link(node, a->target) : read_link(path, node);
}

/* The entry of a path, read from the file system if it is new. */
static struct lc_tree_entry *entry_read(struct lc_path_reader *reader, const char *path)
{
    struct lc_tree_entry *node = lc_tree_entry_make(reader->tree, path);

    if (!node || node->kind)
        return node;
    const struct lc_ahead *a = reader->ahead ? lc_ahead_find(reader->ahead, path) : NULL;
    int rc = a ? set_answer(reader, path, node, a) : lc_path_read_stat(reader, path, node);
    return rc < 0 ? NULL : node;
}

/* State of a walk: 'done' is resolved and has no links, 'rest' is still to be walked. */
struct steps {
    char done[LC_PATH_MAX];
    char rest[2 * LC_PATH_MAX];
    int links;
};

/* Follows a symbolic link: puts its target before the rest. */
static int walk_follow_link(struct steps *s, const char *target)
{
    char rest[sizeof(s->rest)];
    size_t n = strlen(target), m = strlen(s->rest);

    if (++s->links > MOST_LINKS)
        return errno = ELOOP, -1;
    if (n + 1 + m + 1 > sizeof(rest))
        return errno = ENAMETOOLONG, -1;
    memcpy(rest, target, n);
    rest[n] = '/';
    memcpy(rest + n + 1, s->rest, m + 1);
    memcpy(s->rest, rest, n + 1 + m + 1);
    s->done[target[0] == '/' ? 1 : lc_path_dir_len(s->done)] = '\0';
    return 0;
}

/* Take the next component from the rest into 'name'; false at the end. */
static bool walk_next_component(struct steps *s, char *name, size_t room)
{
    size_t skip = strspn(s->rest, "/"), n = strcspn(s->rest + skip, "/");

    if (n == 0 || n >= room)
        return false;
    memcpy(name, s->rest + skip, n);
    name[n] = '\0';
    memmove(s->rest, s->rest + skip + n, strlen(s->rest + skip + n) + 1);
    return true;
}

static int walk_append(struct steps *s, const char *name)
{
    size_t len = strlen(s->done), n = strlen(name);

    if (len + 1 + n + 1 > sizeof(s->done))
        return errno = ENAMETOOLONG, -1;
    if (len > 1)
        s->done[len++] = '/';
    memcpy(s->done + len, name, n + 1);
    return 0;
}

static struct lc_tree_entry *walk_path(struct lc_path_reader *reader, struct steps *s)
{
    struct lc_tree_entry *node = entry_read(reader, "/");
    char name[LC_PATH_MAX];

    while (node && walk_next_component(s, name, sizeof(name))) {
        if (strcmp(name, ".") == 0)
            continue;
        if (strcmp(name, "..") == 0) {
            s->done[lc_path_dir_len(s->done)] = '\0';
            node = entry_read(reader, s->done);
            continue;
        }
        if (node->kind == LC_KIND_FILE)
            return errno = ENOTDIR, NULL;
        if (walk_append(s, name) < 0 || !(node = entry_read(reader, s->done)))
            return NULL;
        if (node->kind == LC_KIND_SYMLINK && walk_follow_link(s, node->target) < 0)
            return NULL;
        if (node->kind == LC_KIND_SYMLINK)
            node = entry_read(reader, s->done);
    }
    return node;
}

struct lc_tree_entry *lc_path_read(struct lc_path_reader *reader, const char *path, char *out)
{
    struct steps s = {.done = "/"};

    if (path[0] != '/' || strlen(path) >= LC_PATH_MAX)
        return errno = path[0] == '/' ? ENAMETOOLONG : EINVAL, NULL;
    strcpy(s.rest, path);
    struct lc_tree_entry *node = walk_path(reader, &s);
    strcpy(out, s.done);
    return node;
}

struct lc_tree_entry *lc_path_read_link(struct lc_path_reader *reader, const char *path)
{
    char dir[LC_PATH_MAX], out[LC_PATH_MAX];
    size_t len = lc_path_dir_len(path);

    if (len == 0 || len >= sizeof(dir))
        return errno = EINVAL, NULL;
    memcpy(dir, path, len);
    dir[len] = '\0';
    return lc_path_read(reader, dir, out) ? entry_read(reader, path) : NULL;
}

/* A listing that is being read; 'known' because some file systems report a name twice. */
struct names {
    struct lc_listed_name *list;
    size_t count, room;
    struct lc_map known;
};

static int name_add(struct names *all, const struct dirent *d)
{
    void **at = lc_map_at(&all->known, d->d_name);

    if (!at || *at)
        return at ? 0 : -1;
    *at = all;
    if (all->count == all->room) {
        size_t room = all->room ? all->room * 2 : 32;
        struct lc_listed_name *more = realloc(all->list, room * sizeof(*more));
        if (!more)
            return -1;
        all->list = more;
        all->room = room;
    }
    char *copy = strdup(d->d_name);
    if (!copy)
        return -1;
    all->list[all->count++] = (struct lc_listed_name){copy, d->d_ino, d->d_type};
    return 0;
}

/* All names, in the order of the directory. Returns the list, or NULL with errno. */
static struct lc_listed_name *read_names(DIR *dir, size_t *count)
{
    struct names all = {0};
    struct dirent *d;

    for (errno = 0; (d = readdir(dir)); errno = 0)
        if (strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0 && name_add(&all, d) < 0)
            break;
    int error = d ? ENOMEM : errno;
    lc_map_free(&all.known, NULL);
    if (!error && !all.list && !(all.list = calloc(1, sizeof(*all.list))))
        error = ENOMEM;
    *count = all.count;
    if (!error)
        return all.list;
    lc_listed_names_free(all.list, all.count);
    errno = error;
    return NULL;
}

static bool has_changed(const struct lc_tree_entry *node, const struct stat *st)
{
    return node->stat.ino != st->st_ino || node->stat.mtime != st->st_mtim.tv_sec ||
           node->stat.mtime_ns != (uint32_t)st->st_mtim.tv_nsec ||
           node->stat.ctime != st->st_ctim.tv_sec ||
           node->stat.ctime_ns != (uint32_t)st->st_ctim.tv_nsec;
}

int lc_path_read_list(const char *path, struct lc_tree_entry *node, bool complete)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    struct stat after;
    size_t count;

    if (!dir) {
        if (fd >= 0)
            close(fd);
        return -1;
    }
    struct lc_listed_name *list = read_names(dir, &count);
    int rc = list && fstat(fd, &after) == 0 ? 0 : -1;
    if (rc == 0 && has_changed(node, &after)) {
        errno = EAGAIN;
        rc = -1;
    }
    if (rc == 0) {
        lc_tree_entry_set_list(node, list, count, complete);
        node->stat.flags |= lc_tree_entry_is_fresh(node) ? LC_INODE_FRESH : 0;
    } else
        lc_listed_names_free(list, list ? count : 0);
    closedir(dir);
    return rc;
}
