/* SPDX-License-Identifier: MIT */
/* probe.c - compare every entry of a tree with the file system, by many threads
 *
 * Most of the time is spent waiting for a metadata server, so there may be more threads than cores;
 * polite_threads.h decides how many. Each thread writes its own probes only; the tree is read-only
 * meanwhile. What exists is asked first: the file system need not be asked for a recorded absence
 * below a directory that is known completely and has not changed. */
#include "record/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "record/polite_threads.h"
#include "record/read_path.h"
#include "util/clock.h"
#include "util/path.h"

enum { LIST_ATTEMPTS = 5 };

static bool is_on_same_mount(const struct lc_probing *all, const struct lc_probe *p)
{
    const struct lc_mountpoint *now = lc_mounts_find(all->mounts, p->path);
    uint32_t at = p->node->stat.mount;

    return at < all->tree->mounts && strcmp(now->type, all->tree->mount[at].type) == 0 &&
           strcmp(now->source, all->tree->mount[at].source) == 0 &&
           strcmp(now->point, all->tree->mount[at].point) == 0;
}

static bool hash_file(int fd, XXH128_hash_t *out)
{
    enum { CHUNK = 1 << 18 };
    char *buffer = malloc(CHUNK);
    XXH3_state_t *state = XXH3_createState();
    ssize_t n = -1;

    if (buffer && state) {
        XXH3_128bits_reset(state);
        while ((n = read(fd, buffer, CHUNK)) > 0)
            XXH3_128bits_update(state, buffer, (size_t)n);
        *out = XXH3_128bits_digest(state);
    }
    XXH3_freeState(state);
    free(buffer);
    return n == 0;
}

static void answer_note(struct lc_probe *p, uint64_t asked_ns)
{
    uint64_t took_ns = lc_clock_ns() - asked_ns + 1;

    if (took_ns > p->answer_ns)
        p->answer_ns = took_ns;
}

static bool has_same_content(struct lc_probe *p)
{
    XXH128_hash_t hash;
    uint64_t asked_ns = lc_clock_ns();
    int fd = open(p->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    answer_note(p, asked_ns);
    bool ok = fd >= 0 && hash_file(fd, &hash);

    if (fd >= 0)
        close(fd);
    return ok && hash.low64 == p->node->from->hash[0] && hash.high64 == p->node->from->hash[1];
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static char **sorted_names(const struct lc_tree_entry *node)
{
    char **names = calloc(node->list_count + 1, sizeof(*names));

    for (size_t i = 0; names && i < node->list_count; i++)
        names[i] = node->list[i].name;
    if (names)
        qsort(names, node->list_count, sizeof(*names), compare_names);
    return names;
}

static bool has_same_names(const struct lc_tree_entry *a, const struct lc_tree_entry *b)
{
    char **x = sorted_names(a), **y = sorted_names(b);
    bool same = x && y && a->list_count == b->list_count;

    for (size_t i = 0; same && i < a->list_count; i++)
        same = strcmp(x[i], y[i]) == 0;
    free(x);
    free(y);
    return same;
}

/* Lists a directory again. Repeated if the directory changes while it is read. */
static void probe_relist(struct lc_probe *p)
{
    bool complete = p->node->stat.flags & LC_INODE_COMPLETE;
    int rc = -1;

    for (int i = 0; i < LIST_ATTEMPTS && rc < 0; i++) {
        if (i > 0 && lstat(p->path, &p->st) < 0)
            break;
        lc_tree_entry_set_stat(&p->fresh, &p->st);
        rc = lc_path_read_list(p->path, &p->fresh, complete);
        if (rc < 0 && errno != EAGAIN)
            break;
    }
    p->names_differ = rc < 0 || !has_same_names(p->node, &p->fresh);
    if (rc < 0)
        lc_tree_entry_set_stat(&p->fresh, &p->st); /* a directory without a listing */
}

/* Reads the listing again if names or times may have changed. Through another mount, equal names
 * and an equal mtime are enough: inode numbers and ctimes depend on the mount. */
static void probe_directory(struct lc_probe *p)
{
    bool listed = p->node->stat.flags & LC_INODE_LISTED;
    bool other_mount = p->differs & LC_DIFFERS_MOUNT;

    if (other_mount)
        p->differs &= ~(unsigned)(LC_DIFFERS_MOUNT | LC_DIFFERS_INODE);
    bool must_list = p->differs || (p->node->stat.flags & LC_INODE_FRESH);
    if (other_mount)
        p->differs &= ~(unsigned)LC_DIFFERS_CTIME;
    if (listed && must_list) {
        probe_relist(p);
        p->state = p->differs || p->names_differ ? LC_PROBE_RELISTED : LC_PROBE_SAME;
    } else {
        p->state = p->differs ? LC_PROBE_CHANGED : LC_PROBE_SAME;
    }
}

static bool has_same_target(const struct lc_probe *p)
{
    char target[LC_PATH_MAX];
    ssize_t n = readlink(p->path, target, sizeof(target));

    return n >= 0 && (size_t)n == strlen(p->node->target) &&
           memcmp(target, p->node->target, (size_t)n) == 0;
}

/* An entry that only leads to others (LC_ENTRY_ROUTE): only the target of a link is compared. */
static void probe_route(struct lc_probe *p)
{
    if (p->node->kind != LC_KIND_SYMLINK || has_same_target(p))
        return;
    p->state = LC_PROBE_CHANGED;
    p->differs = LC_DIFFERS_TARGET;
}

static bool has_same_bytes(struct lc_probe *p)
{
    if (p->node->kind == LC_KIND_SYMLINK)
        return has_same_target(p);
    return p->node->source != LC_SOURCE_IMAGE || has_same_content(p);
}

/* The same file seen through another mount (a node's FUSE mount, a file server's own disk) has
 * another inode number, which is ignored, and may have another ctime; then its content is compared.
 */
static void probe_bytes(const struct lc_probing *all, struct lc_probe *p)
{
    bool other_mount = p->differs & LC_DIFFERS_MOUNT;
    bool is_fresh = p->node->source == LC_SOURCE_IMAGE && (p->node->stat.flags & LC_INODE_FRESH);
    bool must_read = all->deep || is_fresh || (other_mount && (p->differs & LC_DIFFERS_CTIME));

    if (other_mount)
        p->differs &= ~(unsigned)LC_DIFFERS_BY_MOUNT;
    if (!p->differs && must_read && !has_same_bytes(p))
        p->differs |= LC_DIFFERS_CONTENT;
    p->state = p->differs ? LC_PROBE_CHANGED : LC_PROBE_SAME;
}

static void probe_present(const struct lc_probing *all, struct lc_probe *p)
{
    const struct lc_tree_entry *node = p->node;
    bool same_kind = (node->stat.mode & S_IFMT) == (p->st.st_mode & S_IFMT);

    if (same_kind && (node->flags & LC_ENTRY_ROUTE)) {
        probe_route(p);
        return;
    }
    p->differs = lc_difference(&node->stat, &p->st) |
                 (is_on_same_mount(all, p) ? 0u : (unsigned)LC_DIFFERS_MOUNT);
    if (!same_kind)
        p->state = LC_PROBE_CHANGED;
    else if (node->kind == LC_KIND_DIRECTORY)
        probe_directory(p);
    else
        probe_bytes(all, p);
}

/* A file that exists only in the image (LC_ENTRY_MADE). Its recorded inode number and ctime are
 * those of an outdated file at this path, ctime zero if there was none: has that changed? */
static void probe_made(const struct lc_probing *all, struct lc_probe *p, bool there)
{
    const struct lc_inode *was = &p->node->stat;
    bool same_inode = was->ino == p->st.st_ino || !is_on_same_mount(all, p);
    bool same = there ? same_inode && was->ctime == p->st.st_ctim.tv_sec &&
                            was->ctime_ns == (uint32_t)p->st.st_ctim.tv_nsec
                      : was->ctime == 0 && was->ctime_ns == 0;

    p->state = same ? LC_PROBE_SAME : LC_PROBE_CHANGED;
}

static void probe_one(const struct lc_probing *all, struct lc_probe *p)
{
    uint64_t asked_ns = lc_clock_ns();
    bool there = lstat(p->path, &p->st) == 0;
    int error = errno;

    answer_note(p, asked_ns);

    if (p->node->flags & LC_ENTRY_MADE)
        probe_made(all, p, there);
    else if (p->node->kind == LC_KIND_ABSENT)
        p->state =
            there ? LC_PROBE_APPEARED : (error == p->node->error ? LC_PROBE_SAME : LC_PROBE_GONE);
    else if (!there)
        p->state = LC_PROBE_GONE;
    else
        probe_present(all, p);
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(((const struct lc_probe *)a)->path, ((const struct lc_probe *)b)->path);
}

static const struct lc_probe *probe_of_parent(const struct lc_probing *all, const char *path)
{
    char dir[LC_PATH_MAX];
    size_t len = strlen(path) - strlen(lc_path_base(path));
    const struct lc_probe key = {.path = dir};

    if (len < 2 || len > sizeof(dir))
        return NULL;
    memcpy(dir, path, len - 1);
    dir[len - 1] = '\0';
    return bsearch(&key, all->probe, all->count, sizeof(key), compare_paths);
}

static bool has_name(const struct lc_tree_entry *directory, const char *name)
{
    for (size_t i = 0; i < directory->list_count; i++)
        if (strcmp(directory->list[i].name, name) == 0)
            return true;
    return false;
}

/* Does what was found out about its directory tell that a path is absent, as recorded? A directory
 * with a complete list of names has not changed, or is absent itself. */
static bool is_surely_absent(const struct lc_probing *all, const struct lc_probe *p)
{
    const struct lc_probe *parent = all->deep ? NULL : probe_of_parent(all, p->path);

    if (p->node->error != ENOENT || !parent || parent->state != LC_PROBE_SAME)
        return false;
    if (parent->node->kind == LC_KIND_ABSENT)
        return parent->node->error == ENOENT;
    return parent->node->kind == LC_KIND_DIRECTORY &&
           (parent->node->stat.flags & LC_INODE_COMPLETE) &&
           !(parent->node->flags & LC_ENTRY_ROUTE) &&
           !has_name(parent->node, lc_path_base(p->path));
}

static bool is_absent(const struct lc_probe *p)
{
    return p->node->kind == LC_KIND_ABSENT && !(p->node->flags & LC_ENTRY_MADE);
}

/* Probes the next entry; false if there is none. */
static bool probe_next(void *arg, uint64_t *answer_ns)
{
    struct lc_probing *all = arg;
    size_t i = __atomic_fetch_add(&all->next, 1, __ATOMIC_RELAXED);

    if (i >= all->count)
        return false;
    if (is_absent(&all->probe[i]) == all->is_second && !all->probe[i].is_known) {
        probe_one(all, &all->probe[i]);
        *answer_ns = all->probe[i].answer_ns;
    }
    return true;
}

/* Paths are sorted, so a directory comes before what is in it. */
static void probe_surely_absent(struct lc_probing *all)
{
    for (size_t i = 0; i < all->count; i++) {
        struct lc_probe *p = &all->probe[i];
        p->is_known = is_absent(p) && is_surely_absent(all, p);
        /* Not SAME: it was not asked yet, and tells nothing about paths below it. */
        if (is_absent(p) && !p->is_known)
            p->state = LC_PROBE_GONE;
    }
}

static int collect_probes(struct lc_probing *all)
{
    all->probe = calloc(all->tree->entries.count + 1, sizeof(*all->probe));
    if (!all->probe)
        return -1;
    for (size_t i = 0; i < all->tree->entries.count; i++) {
        struct lc_tree_entry *node = all->tree->entries.entry[i].value;
        if (node && node->kind)
            all->probe[all->count++] =
                (struct lc_probe){.path = all->tree->entries.entry[i].key, .node = node};
    }
    qsort(all->probe, all->count, sizeof(*all->probe), compare_paths);
    return 0;
}

int lc_probe_all(struct lc_probing *all, long jobs)
{
    if (collect_probes(all) < 0)
        return -1;
    struct lc_polite polite = {.most = jobs};
    lc_polite_run(&polite, probe_next, all);
    probe_surely_absent(all);
    all->is_second = true;
    all->next = 0;
    lc_polite_run(&polite, probe_next, all);
    return 0;
}

void lc_probe_free(struct lc_probing *all)
{
    for (size_t i = 0; i < all->count; i++)
        lc_tree_entry_clear(&all->probe[i].fresh);
    free(all->probe);
    *all = (struct lc_probing){0};
}
