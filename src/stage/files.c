/* SPDX-License-Identifier: MIT */
/* files.c - the recorded files below NODE/files, one inode per recorded inode
 *
 * Symbolic links are made last (links.c), so no path below the root of the tree can lead out of it
 * while files are written. */
#include "stage/fill.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stage/content_stream.h"

enum { MOST_THREADS = 4, LEAST_PER_THREAD = 2 << 20 };

/* What the threads share. */
struct work {
    struct lc_fill *fill;
    int root;          /* NODE/files */
    uint32_t next;     /* inode */
    int failed;        /* errno of the first failure */
    const char *where; /* its path */
};

static const char *inode_path(const struct work *w, uint32_t inode)
{
    return lc_fill_path(w->fill, inode);
}

static bool content_is_elf(const struct lc_image *image, const struct lc_inode *inode)
{
    char magic[4];

    return inode->size >= sizeof(magic) && lc_image_read(image, inode, magic, 4, 0) == 0 &&
           memcmp(magic, "\177ELF", 4) == 0;
}

static bool inode_is_wanted(const struct lc_fill *fill, const struct lc_inode *inode)
{
    int fd;
    off_t offset;

    if (fill->streamed)
        return S_ISREG(inode->mode) && inode->data != LC_NO_CONTENT;
    return lc_image_content(fill->image, inode, &fd, &offset) &&
           (!fill->only_libs || content_is_elf(fill->image, inode));
}

/* The size of an index that was sent alone does not include the content. */
static uint64_t index_bytes(const struct lc_look *look)
{
    const struct lc_header *header = (const void *)look->base;

    return look->size - (header->flags & LC_HEADER_INDEX_ONLY ? 0 : look->content_len);
}

int lc_fill_plan(struct lc_fill *fill)
{
    const struct lc_look *look = &fill->image->look;
    const uint64_t page = fill->page_bytes;

    fill->home = malloc((look->inodes + 1u) * sizeof(*fill->home));
    fill->ino = calloc(look->inodes + 1u, sizeof(*fill->ino));
    fill->kind = calloc(look->inodes + 1u, sizeof(*fill->kind));
    if (!fill->home || !fill->ino || !fill->kind)
        return -1;
    memset(fill->home, 0xff, (look->inodes + 1u) * sizeof(*fill->home));
    fill->bytes = index_bytes(look) + page * 16 + sizeof(struct lc_miss_log) +
                  lc_fill_object_bytes(fill->origin);
    for (uint32_t i = 0; i < look->entries; i++) {
        const struct lc_inode *inode = lc_look_inode(look, i);
        uint32_t k = look->entry[i].inode;
        if (look->entry[i].kind != LC_KIND_FILE || !inode || fill->home[k] != LC_NONE ||
            !inode_is_wanted(fill, inode))
            continue;
        fill->home[k] = i;
        fill->files++;
        fill->bytes += (inode->size + page - 1) / page * page;
        if (lc_fill_is_code(look, i))
            fill->bytes += inode->size + LC_CODE_UNIT;
    }
    return 0;
}

void lc_fill_end(struct lc_fill *fill)
{
    free(fill->home);
    free(fill->ino);
    free(fill->kind);
    fill->home = NULL;
    fill->ino = NULL;
    fill->kind = NULL;
}

static void failure_note(struct work *w, uint32_t i)
{
    int none = 0, code = errno ? errno : EIO;

    if (__atomic_compare_exchange_n(&w->failed, &none, code, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        w->where = inode_path(w, i);
}

static void *worker_run(void *arg)
{
    struct work *w = arg;
    uint32_t inodes = w->fill->image->look.inodes, i;
    char *buffer = malloc(LC_FILL_CHUNK);

    if (!buffer)
        return NULL; /* the other threads do the work; workers_run notices if none could */
    while (!__atomic_load_n(&w->failed, __ATOMIC_RELAXED) &&
           (i = __atomic_fetch_add(&w->next, 1, __ATOMIC_RELAXED)) < inodes)
        if (w->fill->home[i] != LC_NONE && lc_fill_one(w->fill, w->root, i, buffer) < 0)
            failure_note(w, i);
    free(buffer);
    return w; /* not NULL: it worked */
}

static int threads_wanted(const struct lc_fill *fill)
{
    cpu_set_t cpus;
    int n = sched_getaffinity(0, sizeof(cpus), &cpus) == 0 ? CPU_COUNT(&cpus) : 1;
    uint64_t worth = fill->bytes / LEAST_PER_THREAD + fill->files / 100 + 1;

    n = n > MOST_THREADS ? MOST_THREADS : n;
    return worth < (uint64_t)n ? (int)worth : n;
}

static void workers_run(struct work *w)
{
    pthread_t thread[MOST_THREADS];
    int extra = 0, want = threads_wanted(w->fill) - 1;

    while (extra < want && pthread_create(&thread[extra], NULL, worker_run, w) == 0)
        extra++;
    bool worked = worker_run(w);
    for (int i = 0; i < extra; i++)
        pthread_join(thread[i], NULL);
    if (!worked && w->next < w->fill->image->look.inodes && !w->failed)
        w->failed = ENOMEM;
}

static int parents_make(struct work *w, char *made, uint32_t entry);

static int directory_make(struct work *w, char *made, uint32_t entry)
{
    const struct lc_look *look = &w->fill->image->look;

    if (parents_make(w, made, entry) < 0)
        return -1;
    made[entry] = 1;
    return mkdirat(w->root, lc_look_name(look, look->entry[entry].path) + 1, 0700);
}

/* Make an entry's directory and all above it, each once. */
static int parents_make(struct work *w, char *made, uint32_t entry)
{
    const struct lc_look *look = &w->fill->image->look;
    uint32_t up = look->entry[entry].parent;

    if (up >= look->entries || look->entry[up].parent == LC_NONE || made[up])
        return 0;
    return directory_make(w, made, up);
}

static bool entry_is_staged(const struct work *w, uint32_t entry)
{
    const struct lc_entry *e = &w->fill->image->look.entry[entry];

    return e->kind == LC_KIND_FILE && lc_look_inode(&w->fill->image->look, entry) &&
           w->fill->home[e->inode] != LC_NONE;
}

/* Make the directories of all files. Other recorded directories are made if possible, since a path
 * may lead through them by "..". */
static int directories_make(struct work *w)
{
    const struct lc_look *look = &w->fill->image->look;
    char *made = calloc(look->entries + 1u, 1);
    int rc = made ? 0 : -1;

    for (uint32_t i = 0; i < look->entries && rc == 0; i++)
        if (entry_is_staged(w, i))
            rc = parents_make(w, made, i);
    for (uint32_t i = 0; i < look->entries && rc == 0; i++)
        if (look->entry[i].kind == LC_KIND_DIRECTORY && look->entry[i].parent != LC_NONE &&
            !made[i])
            (void)directory_make(w, made, i);
    free(made);
    return rc;
}

/* Make the other names of inodes that are written. */
static int hard_links_make(struct work *w)
{
    const struct lc_look *look = &w->fill->image->look;

    for (uint32_t i = 0; i < look->entries; i++) {
        const struct lc_entry *e = &look->entry[i];
        if (e->kind != LC_KIND_FILE || !lc_look_inode(look, i))
            continue;
        uint32_t home = w->fill->home[e->inode];
        if (home == LC_NONE || home == i)
            continue;
        if (linkat(w->root, inode_path(w, e->inode) + 1, w->root, lc_look_name(look, e->path) + 1,
                   0) < 0)
            return -1;
    }
    return 0;
}

static int failure_report(const struct work *w, struct lc_error *err)
{
    if (w->failed) {
        errno = w->failed;
        if (errno == EBADMSG)
            return lc_error_set(err, "'%s' is damaged: content of '%s' does not match its checksum",
                                w->fill->image->file, w->where);
        return lc_error_errno(err, "cannot stage '%s' to '%s'", w->where ? w->where : "files",
                              w->fill->path);
    }
    return lc_error_errno(err, "cannot stage '%s' to '%s'", w->fill->image->file, w->fill->path);
}

static int contents_take_all(struct work *w)
{
    workers_run(w);
    return w->failed ? -1 : 0;
}

static int contents_take_listed(struct work *w, lc_fill_take *take, void *arg)
{
    struct lc_contents contents;
    int rc = lc_contents_list(&contents, w->fill);

    if (rc == 0)
        rc = take(arg, w->fill, w->root, &contents);
    int saved = errno;
    lc_contents_free(&contents);
    errno = saved;
    return rc;
}

static int files_fill(struct lc_fill *fill, lc_fill_take *take, void *arg, struct lc_error *err)
{
    struct work w = {.fill = fill, .root = -1};

    if (mkdirat(fill->fd, &LC_NODE_FILES[1], 0700) == 0)
        w.root = openat(fill->fd, &LC_NODE_FILES[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (w.root < 0)
        return failure_report(&w, err);
    int rc = directories_make(&w);
    if (rc == 0)
        rc = take ? contents_take_listed(&w, take, arg) : contents_take_all(&w);
    if (rc == 0)
        rc = hard_links_make(&w);
    if (rc == 0)
        lc_fill_links(fill, w.root);
    if (rc < 0)
        failure_report(&w, err);
    int saved = errno;
    close(w.root);
    errno = saved;
    return rc;
}

int lc_fill_files(struct lc_fill *fill, struct lc_error *err)
{
    return files_fill(fill, NULL, NULL, err);
}

int lc_fill_files_by(struct lc_fill *fill, lc_fill_take *take, void *arg, struct lc_error *err)
{
    return files_fill(fill, take, arg, err);
}
