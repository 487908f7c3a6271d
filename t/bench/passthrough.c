/* SPDX-License-Identifier: MIT */
/* passthrough.c - the yardstick for stormfs: as little as a FUSE file system can do
 *
 * bench-passthrough SOURCE MOUNT SECONDS: a read-only view of SOURCE in the manner of libfuse's
 * 'passthrough' example (every inode is known by its path; libfuse's own threads), on the low-level
 * interface, with names and attributes cached for SECONDS. An inode could keep a descriptor
 * instead, but 100,000 of them are more than most machines allow. Stays in the foreground; ends by
 * a signal. */
#define FUSE_USE_VERSION 35
#include <fuse_lowlevel.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct inode {
    struct inode *next;
    ino_t ino;
    uint64_t lookups;
    char path[]; /* below the source */
};

enum { BUCKETS = 1 << 17 };

static struct inode *root, *bucket[BUCKETS];
static int root_fd;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static double timeout_s;

static struct inode *inode_of(fuse_ino_t ino)
{
    return ino == FUSE_ROOT_ID ? root : (struct inode *)(uintptr_t)ino;
}

static struct inode *new_inode(const char *path, ino_t ino)
{
    struct inode *i = calloc(1, sizeof(*i) + strlen(path) + 1);

    strcpy(i->path, path);
    i->ino = ino;
    return i;
}

static struct inode *remember(const char *path, const struct stat *st)
{
    struct inode **b = &bucket[st->st_ino % BUCKETS], *i;

    pthread_mutex_lock(&lock);
    for (i = *b; i && i->ino != st->st_ino; i = i->next)
        ;
    if (!i) {
        i = new_inode(path, st->st_ino);
        i->next = *b;
        *b = i;
    }
    i->lookups++;
    pthread_mutex_unlock(&lock);
    return i;
}

static int look_up(fuse_ino_t parent, const char *name, struct fuse_entry_param *e)
{
    char path[4096];

    memset(e, 0, sizeof(*e));
    snprintf(path, sizeof(path), "%s/%s", inode_of(parent)->path, name);
    if (fstatat(root_fd, path, &e->attr, AT_SYMLINK_NOFOLLOW) < 0)
        return errno;
    e->ino = (uintptr_t)remember(path, &e->attr);
    e->attr_timeout = e->entry_timeout = timeout_s;
    return 0;
}

static void op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
    struct fuse_entry_param e;
    int error = look_up(parent, name, &e);

    if (error)
        fuse_reply_err(req, error);
    else
        fuse_reply_entry(req, &e);
}

static void forget(fuse_ino_t ino, uint64_t count)
{
    struct inode *i = inode_of(ino);

    pthread_mutex_lock(&lock);
    i->lookups -= count;
    if (i->lookups == 0 && i != root) {
        struct inode **b = &bucket[i->ino % BUCKETS];
        while (*b != i)
            b = &(*b)->next;
        *b = i->next;
        free(i);
    }
    pthread_mutex_unlock(&lock);
}

static void op_forget(fuse_req_t req, fuse_ino_t ino, uint64_t count)
{
    forget(ino, count);
    fuse_reply_none(req);
}

static void op_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
    struct stat st;

    (void)fi;
    if (fstatat(root_fd, inode_of(ino)->path, &st, AT_SYMLINK_NOFOLLOW) < 0)
        fuse_reply_err(req, errno);
    else
        fuse_reply_attr(req, &st, timeout_s);
}

static void op_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
    int fd = openat(root_fd, inode_of(ino)->path, O_RDONLY);

    fi->fh = (uint64_t)fd;
    fi->keep_cache = 1;
    if (fd < 0)
        fuse_reply_err(req, errno);
    else
        fuse_reply_open(req, fi);
}

static void op_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset,
                    struct fuse_file_info *fi)
{
    struct fuse_bufvec buf = FUSE_BUFVEC_INIT(size);

    (void)ino;
    buf.buf[0].flags = FUSE_BUF_IS_FD | FUSE_BUF_FD_SEEK;
    buf.buf[0].fd = (int)fi->fh;
    buf.buf[0].pos = offset;
    fuse_reply_data(req, &buf, FUSE_BUF_SPLICE_MOVE);
}

static void op_release(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
    (void)ino;
    close((int)fi->fh);
    fuse_reply_err(req, 0);
}

static void op_opendir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
    int fd = openat(root_fd, inode_of(ino)->path, O_RDONLY);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);

    fi->fh = (uintptr_t)d;
    fi->cache_readdir = timeout_s > 0;
    fi->keep_cache = timeout_s > 0;
    if (!d)
        fuse_reply_err(req, errno);
    else
        fuse_reply_open(req, fi);
}

static size_t add(fuse_req_t req, fuse_ino_t ino, char *at, size_t room, const struct dirent *e,
                  int plus)
{
    struct fuse_entry_param entry = {.attr = {.st_ino = e->d_ino, .st_mode = DTTOIF(e->d_type)}};
    int is_dot = strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0;

    if (!plus)
        return fuse_add_direntry(req, at, room, e->d_name, &entry.attr, e->d_off);
    if (!is_dot)
        look_up(ino, e->d_name, &entry);
    size_t n = fuse_add_direntry_plus(req, at, room, e->d_name, &entry, e->d_off);
    if (n > room && !is_dot)
        forget(entry.ino, 1);
    return n;
}

static void list(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset, DIR *d, int plus)
{
    char *buf = malloc(size);
    struct dirent *e;
    size_t used = 0;

    seekdir(d, offset);
    while ((e = readdir(d))) {
        size_t n = add(req, ino, buf + used, size - used, e, plus);
        if (n > size - used)
            break;
        used += n;
    }
    fuse_reply_buf(req, buf, used);
    free(buf);
}

static void op_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset,
                       struct fuse_file_info *fi)
{
    list(req, ino, size, offset, (DIR *)(uintptr_t)fi->fh, 0);
}

static void op_readdirplus(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset,
                           struct fuse_file_info *fi)
{
    list(req, ino, size, offset, (DIR *)(uintptr_t)fi->fh, 1);
}

static void op_releasedir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
    (void)ino;
    closedir((DIR *)(uintptr_t)fi->fh);
    fuse_reply_err(req, 0);
}

static const struct fuse_lowlevel_ops ops = {
    .lookup = op_lookup,
    .forget = op_forget,
    .getattr = op_getattr,
    .open = op_open,
    .read = op_read,
    .release = op_release,
    .opendir = op_opendir,
    .readdir = op_readdir,
    .readdirplus = op_readdirplus,
    .releasedir = op_releasedir,
};

int main(int argc, char **argv)
{
    char *args_v[] = {argv[0], "-o", "ro,fsname=passthrough,default_permissions", NULL};
    struct fuse_args args = FUSE_ARGS_INIT(3, args_v);

    if (argc != 4)
        return 2;
    timeout_s = atof(argv[3]);
    root_fd = open(argv[1], O_PATH | O_DIRECTORY);
    root = new_inode(".", 0);
    struct fuse_session *se = fuse_session_new(&args, &ops, sizeof(ops), NULL);
    if (root_fd < 0 || !se || fuse_set_signal_handlers(se) || fuse_session_mount(se, argv[2]))
        return 1;
    struct fuse_loop_config config = {.clone_fd = 0, .max_idle_threads = 10};
    int rc = fuse_session_loop_mt(se, &config);
    fuse_session_unmount(se);
    return rc < 0 ? 1 : 0; /* a signal is the way to end */
}
