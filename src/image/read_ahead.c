/* SPDX-License-Identifier: MIT */
/* read_ahead.c - read the files of an image by threads, while those before them are written
 *
 * On a file system over a network most of the time of reading small files is spent waiting for
 * answers. There are two threads: one would wait while its answer is on the way, and more would
 * make other users of the server wait. */
#include "image/read_ahead.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include "util/io.h"

enum {
    READERS = 2,
    SLOW_NS = 50000,    /* slower than this machine's caches and disks open a file */
    SLOW_WEIGHT = 4,    /* a slow open counts as much as so many fast ones after it, */
    SLOW_ENOUGH = 32,   /* and so much starts the threads: eight in a row, or a fifth of many */
    LARGEST = 16 << 20, /* larger ones are copied piece by piece by the writer */
    MOST_HELD = 48 << 20,
};

enum state { NOT_BEGUN, READING, READ, LEFT };

struct file {
    const char *path;
    size_t item;
    enum state state;
    struct lc_file_read got;
};

struct lc_read_ahead {
    struct file *file;
    size_t files;
    pthread_mutex_t lock; /* of all below, and of the states */
    pthread_cond_t changed;
    size_t next;   /* the next file to be begun */
    size_t wanted; /* the writer has no use for files before this one */
    uint64_t held; /* bytes that were read and not taken */
    bool is_over;
    unsigned slowness;
    pthread_t thread[READERS];
    int threads;
};

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
           a->st_mtim.tv_nsec == b->st_mtim.tv_nsec && a->st_ctim.tv_sec == b->st_ctim.tv_sec &&
           a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/* Is it an ordinary file that may be copied whole? Holes and capabilities are the writer's. */
static bool is_simple(int fd, const struct stat *st)
{
    return S_ISREG(st->st_mode) && st->st_size <= LARGEST && st->st_blocks * 512 >= st->st_size &&
           !((st->st_mode & 0111) && fgetxattr(fd, "security.capability", NULL, 0) > 0);
}

static bool content_read(int fd, struct lc_file_read *out)
{
    size_t size = (size_t)out->before.st_size;
    struct stat after;

    out->bytes = malloc(size + 1);
    if (!out->bytes || lc_read_at(fd, out->bytes, size, 0) != (ssize_t)size ||
        fstat(fd, &after) < 0 || !is_same(&out->before, &after))
        return false;
    XXH128_hash_t hash = XXH3_128bits(out->bytes, size);
    out->hash[0] = hash.low64;
    out->hash[1] = hash.high64;
    return true;
}

static bool file_read(const char *path, struct lc_file_read *out)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    time_t limit = time(NULL) - LC_TREE_FRESH_SECONDS;
    bool ok = fd >= 0 && fstat(fd, &out->before) == 0 && is_simple(fd, &out->before) &&
              content_read(fd, out);

    if (fd >= 0)
        close(fd);
    out->is_fresh = out->before.st_ctim.tv_sec >= limit || out->before.st_mtim.tv_sec >= limit;
    if (!ok) {
        free(out->bytes);
        out->bytes = NULL;
    }
    return ok;
}

/* The file is of no use any more. With the lock held. */
static void file_drop(struct lc_read_ahead *all, struct file *f)
{
    if (f->state == READ)
        all->held -= (uint64_t)f->got.before.st_size;
    if (f->state == READ)
        free(f->got.bytes);
    f->state = LEFT;
}

/* With the lock held, which is given back meanwhile. */
static void next_read(struct lc_read_ahead *all)
{
    struct file *f = &all->file[all->next++];
    struct lc_file_read got = {0};

    f->state = READING;
    pthread_mutex_unlock(&all->lock);
    bool ok = file_read(f->path, &got);
    pthread_mutex_lock(&all->lock);
    f->got = got;
    f->state = ok ? READ : LEFT;
    all->held += ok ? (uint64_t)got.before.st_size : 0;
    if (f < all->file + all->wanted)
        file_drop(all, f);
    pthread_cond_broadcast(&all->changed);
}

static void *reader_run(void *arg)
{
    struct lc_read_ahead *all = arg;

    pthread_mutex_lock(&all->lock);
    while (!all->is_over && all->next < all->files) {
        if (all->held < MOST_HELD)
            next_read(all);
        else
            pthread_cond_wait(&all->changed, &all->lock);
    }
    pthread_mutex_unlock(&all->lock);
    return NULL;
}

/* Signals are for the thread that was there before. */
static void readers_start(struct lc_read_ahead *all)
{
    sigset_t every, before;

    sigfillset(&every);
    pthread_sigmask(SIG_SETMASK, &every, &before);
    while (all->threads < READERS &&
           pthread_create(&all->thread[all->threads], NULL, reader_run, all) == 0)
        all->threads++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

struct lc_read_ahead *lc_read_ahead_begin(const struct lc_item *item, size_t items)
{
    struct lc_read_ahead *all = calloc(1, sizeof(*all));

    if (!all || !(all->file = calloc(items + 1, sizeof(*all->file)))) {
        free(all);
        return NULL;
    }
    for (size_t i = 0; i < items; i++)
        if (item[i].node->kind == LC_KIND_FILE && item[i].node->source == LC_SOURCE_FILE)
            all->file[all->files++] = (struct file){.path = item[i].path, .item = i};
    pthread_mutex_init(&all->lock, NULL);
    pthread_cond_init(&all->changed, NULL);
    return all;
}

void lc_read_ahead_note(struct lc_read_ahead *all, uint64_t opened_ns)
{
    if (!all || all->threads > 0)
        return;
    if (opened_ns >= SLOW_NS)
        all->slowness += SLOW_WEIGHT;
    else if (all->slowness > 0)
        all->slowness--;
    if (all->slowness >= SLOW_ENOUGH)
        readers_start(all);
}

/* The place of the first file whose item is 'i' or a later one. */
static size_t file_find(const struct lc_read_ahead *all, size_t i)
{
    size_t at = all->wanted;

    while (at < all->files && all->file[at].item < i)
        at++;
    return at;
}

bool lc_read_ahead_take(struct lc_read_ahead *all, size_t i, struct lc_file_read *out)
{
    bool ok = false;

    if (!all)
        return false;
    pthread_mutex_lock(&all->lock);
    size_t at = file_find(all, i);
    while (all->wanted < at)
        file_drop(all, &all->file[all->wanted++]);
    if (at < all->files && all->file[at].item == i) {
        struct file *f = &all->file[at];
        while (f->state == READING)
            pthread_cond_wait(&all->changed, &all->lock);
        ok = f->state == READ;
        *out = f->got;
        all->held -= ok ? (uint64_t)f->got.before.st_size : 0;
        f->state = LEFT;
        all->wanted = at + 1;
    }
    if (all->next < all->wanted)
        all->next = all->wanted;
    pthread_cond_broadcast(&all->changed);
    pthread_mutex_unlock(&all->lock);
    return ok;
}

void lc_read_ahead_end(struct lc_read_ahead *all)
{
    if (!all)
        return;
    pthread_mutex_lock(&all->lock);
    all->is_over = true;
    pthread_cond_broadcast(&all->changed);
    pthread_mutex_unlock(&all->lock);
    for (int i = 0; i < all->threads; i++)
        pthread_join(all->thread[i], NULL);
    for (size_t i = 0; i < all->files; i++)
        file_drop(all, &all->file[i]);
    pthread_mutex_destroy(&all->lock);
    pthread_cond_destroy(&all->changed);
    free(all->file);
    free(all);
}
