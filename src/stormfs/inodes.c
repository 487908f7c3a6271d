/* SPDX-License-Identifier: MIT */
/* inodes.c - the table of inodes: by device and number, with their names and references */
#include "stormfs/inodes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "stormfs/inodes_private.h"

enum {
    ROOT_NUMBER = 1, /* FUSE_ROOT_ID */
    FIRST_BUCKETS = 1024,
    MOST_NAMES = 8, /* names remembered per inode; other hard links are looked up again */
    MOST_CACHED_FDS = 512,
};

static size_t inode_hash(dev_t dev, ino_t ino)
{
    uint64_t h = ((uint64_t)ino ^ ((uint64_t)dev << 32)) * 0x9e3779b97f4a7c15ull;

    return (size_t)(h >> 20);
}

static struct lc_storm_inode **bucket_of(struct lc_inodes *t, dev_t dev, ino_t ino)
{
    return &t->bucket[inode_hash(dev, ino) & (t->buckets - 1)];
}

struct lc_storm_inode *lc_inodes_find(struct lc_inodes *t, const struct stat *st)
{
    struct lc_storm_inode *i = *bucket_of(t, st->st_dev, st->st_ino);

    while (i && (i->ino != st->st_ino || i->dev != st->st_dev))
        i = i->chain;
    return i;
}

static void inode_insert(struct lc_inodes *t, struct lc_storm_inode *inode)
{
    struct lc_storm_inode **s = bucket_of(t, inode->dev, inode->ino);

    inode->chain = *s;
    *s = inode;
    inode->is_hashed = true;
    t->count++;
}

/* Out of the table, or of the list of disowned inodes. */
static void inode_unchain(struct lc_inodes *t, struct lc_storm_inode *inode)
{
    struct lc_storm_inode **s =
        inode->is_hashed ? bucket_of(t, inode->dev, inode->ino) : &t->disowned;

    while (*s != inode)
        s = &(*s)->chain;
    *s = inode->chain;
    t->count -= inode->is_hashed;
    inode->is_hashed = false;
}

static void table_grow(struct lc_inodes *t)
{
    size_t old = t->buckets;
    struct lc_storm_inode **from = t->bucket;
    struct lc_storm_inode **to = calloc(old * 2, sizeof(*to));

    if (!to)
        return; /* longer chains do no harm */
    t->bucket = to;
    t->buckets = old * 2;
    t->count = 0;
    for (size_t b = 0; b < old; b++)
        for (struct lc_storm_inode *i = from[b], *next; i; i = next) {
            next = i->chain;
            inode_insert(t, i);
        }
    free(from);
}

static struct lc_storm_inode *inode_create(struct lc_inodes *t, const struct stat *st)
{
    struct lc_storm_inode *inode = calloc(1, sizeof(*inode));

    if (!inode)
        return NULL;
    inode->dev = st->st_dev;
    inode->ino = st->st_ino;
    inode->type = st->st_mode & S_IFMT;
    inode->fd = -1;
    if (t->count >= t->buckets)
        table_grow(t);
    inode_insert(t, inode);
    return inode;
}

/* How many directories may keep a cached descriptor: a quarter of the descriptor limit, since every
 * file that a client has open needs a descriptor too. */
static size_t most_cached_fds(void)
{
    struct rlimit limit = {256, 256};

    getrlimit(RLIMIT_NOFILE, &limit);
    return limit.rlim_cur / 4 < MOST_CACHED_FDS ? (size_t)limit.rlim_cur / 4 : MOST_CACHED_FDS;
}

struct lc_inodes *lc_inodes_create(int root_fd)
{
    struct lc_inodes *t = calloc(1, sizeof(*t));
    struct stat st;

    if (!t || fstat(root_fd, &st) < 0)
        goto fail;
    t->most_fds = most_cached_fds();
    t->buckets = FIRST_BUCKETS;
    t->bucket = calloc(t->buckets, sizeof(*t->bucket));
    if (!t->bucket || !(t->root = inode_create(t, &st)))
        goto fail;
    pthread_mutex_init(&t->lock, NULL);
    t->root->fd = root_fd;
    t->root->is_held = true;
    t->root->lookups = 1;
    return t;
fail:
    if (t)
        free(t->bucket);
    free(t);
    return NULL;
}

static void chain_free(struct lc_storm_inode *first)
{
    for (struct lc_storm_inode *i = first, *next; i; i = next) {
        next = i->chain;
        for (struct lc_inode_name *n = i->names, *after; n; n = after) {
            after = n->next;
            free(n);
        }
        if (i->fd >= 0)
            close(i->fd);
        free(i);
    }
}

void lc_inodes_destroy(struct lc_inodes *t)
{
    for (size_t b = 0; b < t->buckets; b++)
        chain_free(t->bucket[b]);
    chain_free(t->disowned);
    pthread_mutex_destroy(&t->lock);
    free(t->bucket);
    free(t);
}

struct lc_storm_inode *lc_inodes_get(struct lc_inodes *t, uint64_t number)
{
    return number == ROOT_NUMBER ? t->root : (struct lc_storm_inode *)(uintptr_t)number;
}

uint64_t lc_inodes_number(const struct lc_inodes *t, const struct lc_storm_inode *inode)
{
    return inode == t->root ? ROOT_NUMBER : (uint64_t)(uintptr_t)inode;
}

size_t lc_inodes_count(struct lc_inodes *t)
{
    pthread_mutex_lock(&t->lock);
    size_t n = t->count;
    pthread_mutex_unlock(&t->lock);
    return n;
}

size_t lc_inodes_cached_fds(struct lc_inodes *t)
{
    pthread_mutex_lock(&t->lock);
    size_t n = t->fds;
    pthread_mutex_unlock(&t->lock);
    return n;
}

static bool name_is(const struct lc_inode_name *n, const struct lc_storm_inode *dir,
                    const char *text)
{
    return n->dir == dir && strcmp(n->text, text) == 0;
}

/* Frees the name that *at points to, and its directory if nothing else refers to that. */
static void name_free(struct lc_inodes *t, struct lc_inode_name **at)
{
    struct lc_inode_name *n = *at;
    struct lc_storm_inode *dir = n->dir;

    *at = n->next;
    free(n);
    dir->children--;
    lc_inode_free_if_unused(t, dir);
}

void lc_inode_forget_name(struct lc_inodes *t, struct lc_storm_inode *inode,
                          struct lc_storm_inode *dir, const char *name)
{
    for (struct lc_inode_name **at = &inode->names; *at; at = &(*at)->next)
        if (name_is(*at, dir, name)) {
            name_free(t, at);
            return;
        }
}

static void names_trim(struct lc_inodes *t, struct lc_storm_inode *inode, int most)
{
    struct lc_inode_name **at = &inode->names;

    while (*at && most-- > 0)
        at = &(*at)->next;
    while (*at)
        name_free(t, at);
}

/* Moves a name to the front of the list of names, or adds it there. */
static int name_add(struct lc_inodes *t, struct lc_storm_inode *inode, struct lc_storm_inode *dir,
                    const char *text)
{
    struct lc_inode_name **at = &inode->names, *n;

    while (*at && !name_is(*at, dir, text))
        at = &(*at)->next;
    n = *at;
    if (n) {
        *at = n->next;
    } else {
        n = malloc(sizeof(*n) + strlen(text) + 1);
        if (!n)
            return -1;
        strcpy(n->text, text);
        n->dir = dir;
        dir->children++;
    }
    n->next = inode->names;
    inode->names = n;
    names_trim(t, inode, MOST_NAMES);
    if (inode->is_held && inode->pins == 0)
        lc_inode_drop_fd(
            t, inode); /* the inode can be opened by name again: no need to keep a descriptor */
    return 0;
}

void lc_inode_free_if_unused(struct lc_inodes *t, struct lc_storm_inode *inode)
{
    if (inode->lookups || inode->children || inode->pins || inode->handles)
        return;
    names_trim(t, inode, 0);
    inode_unchain(t, inode);
    lc_inode_drop_fd(t, inode);
    free(inode);
}

/* The source file system has given the inode number to a new file, without a request through us.
 * The old inode is removed from the table and loses its names; the kernel still has references to
 * it. */
static void inode_disown(struct lc_inodes *t, struct lc_storm_inode *inode)
{
    inode_unchain(t, inode);
    inode->chain = t->disowned;
    t->disowned = inode;
    names_trim(t, inode, 0);
}

static struct lc_storm_inode *inode_remember(struct lc_inodes *t, struct lc_storm_inode *dir,
                                             const char *name, const struct stat *st)
{
    struct lc_storm_inode *inode = lc_inodes_find(t, st);

    if (inode && inode->type != (st->st_mode & S_IFMT)) {
        inode_disown(t, inode);
        inode = NULL;
    }
    if (!inode)
        inode = inode_create(t, st);
    if (!inode)
        return NULL;
    inode->lookups++;
    if (inode != t->root && name_add(t, inode, dir, name) < 0) {
        inode->lookups--;
        lc_inode_free_if_unused(t, inode);
        return NULL;
    }
    return inode;
}

struct lc_storm_inode *lc_inodes_adopt(struct lc_inodes *t, struct lc_storm_inode *dir,
                                       const char *name, const struct stat *st)
{
    pthread_mutex_lock(&t->lock);
    struct lc_storm_inode *inode = inode_remember(t, dir, name, st);
    pthread_mutex_unlock(&t->lock);
    if (!inode)
        errno = ENOMEM;
    return inode;
}

int lc_inodes_lookup(struct lc_inodes *t, struct lc_storm_inode *dir, const char *name,
                     struct stat *st, struct lc_storm_inode **out)
{
    int fd = lc_inode_pin_dir(t, dir);

    if (fd < 0)
        return -1;
    int rc = fstatat(fd, name, st, AT_SYMLINK_NOFOLLOW);
    if (rc == 0) {
        *out = lc_inodes_adopt(t, dir, name, st);
        rc = *out ? 0 : -1;
    }
    int saved = errno;
    lc_inode_unpin(t, dir);
    errno = saved;
    return rc;
}

void lc_inodes_forget(struct lc_inodes *t, struct lc_storm_inode *inode, uint64_t count)
{
    if (inode == t->root)
        return;
    pthread_mutex_lock(&t->lock);
    inode->lookups -= count < inode->lookups ? count : inode->lookups;
    lc_inode_free_if_unused(t, inode);
    pthread_mutex_unlock(&t->lock);
}

static bool time_is_same(struct timespec a, struct timespec b)
{
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

/* Is the last change older than a clock tick? A further change within the same tick would leave the
 * file's times as they are, and so would not be noticed. */
static bool change_is_settled(const struct stat *st)
{
    const int64_t tick_ns =
        100 * 1000 * 1000; /* the coarsest clock ticks at 100 Hz; with reserve */
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    int64_t age_ns =
        (int64_t)(now.tv_sec - st->st_ctim.tv_sec) * 1000000000 + now.tv_nsec - st->st_ctim.tv_nsec;
    return age_ns < 0 || age_ns > tick_ns;
}

bool lc_inode_cache_is_valid(struct lc_inodes *t, struct lc_storm_inode *inode, unsigned mount,
                             const struct stat *st)
{
    uint64_t bit = (uint64_t)1 << (mount & 63);

    pthread_mutex_lock(&t->lock);
    if (!time_is_same(inode->mtime, st->st_mtim) || !time_is_same(inode->ctime, st->st_ctim) ||
        inode->size != st->st_size) {
        inode->mtime = st->st_mtim;
        inode->ctime = st->st_ctim;
        inode->size = st->st_size;
        inode->seen_by = 0;
    }
    bool kept = inode->seen_by & bit;
    if (change_is_settled(st))
        inode->seen_by |= bit;
    pthread_mutex_unlock(&t->lock);
    return kept;
}

void lc_inodes_name_removed(struct lc_inodes *t, struct lc_storm_inode *dir, const char *name,
                            const struct stat *st)
{
    pthread_mutex_lock(&t->lock);
    struct lc_storm_inode *inode = lc_inodes_find(t, st);
    if (inode) {
        inode->pins++; /* keep it from being freed when its name is freed */
        lc_inode_forget_name(t, inode, dir, name);
        inode->pins--;
        lc_inode_free_if_unused(t, inode);
    }
    pthread_mutex_unlock(&t->lock);
}

void lc_inodes_name_added(struct lc_inodes *t, struct lc_storm_inode *dir, const char *name,
                          const struct stat *st)
{
    pthread_mutex_lock(&t->lock);
    struct lc_storm_inode *inode = lc_inodes_find(t, st);
    if (inode && inode != t->root)
        name_add(t, inode, dir, name);
    pthread_mutex_unlock(&t->lock);
}
