/* SPDX-License-Identifier: MIT */
/* invalidate.c - invalidate what the image knows of a path that is about to change, for every
 * process on the node
 *
 * It is invalidated before the call is made: a process that looks the path up in between asks
 * the file system, which always has the right answer. Entries never become valid again.
 */
#include <linux/fcntl.h>

#include "client/preload/path_query.h"
#include "client/preload/readable.h"
#include "image/bytes.h"
#include "node/syscall.h"

/* A path that is about to change, and what the image knows of it. */
struct target {
    const struct lc_node *node;
    struct lc_scratch *scratch;
    struct lc_found found;
    const char *path; /* links resolved as far as they are known; in 'scratch' or in the image */
    size_t len;       /* 0: the path could not be made absolute */
};

static bool change_follows_links(enum lc_change change)
{
    return change == LC_CHANGE_CONTENT || change == LC_CHANGE_RIGHTS;
}

static void target_look_up(struct target *t, size_t len, enum lc_change change)
{
    const struct lc_look *image = &t->node->look;
    struct lc_walk *walk = &t->scratch->walk;

    walk->len = 0;
    t->found = lc_look_walk(image, t->scratch->full, len,
                            change_follows_links(change) ? 0 : LC_WALK_NOFOLLOW, walk);
    t->path = walk->len ? walk->path : t->scratch->full;
    t->len = walk->len ? walk->len : len;
    if (t->found.answer == LC_ANSWER_FOUND) {
        t->path = lc_look_name(image, image->entry[t->found.entry].path);
        t->len = image->entry[t->found.entry].path_len;
    }
}

/* The path of the file that 'path' leads to, as the kernel sees it, in scratch->full; its length,
 * or 0. */
static size_t real_path(struct lc_scratch *scratch, int dirfd, const char *path, int flags)
{
    char link[40];
    long fd = lc_sys_openat(dirfd, path, O_PATH | O_CLOEXEC | flags, 0);

    if (fd < 0)
        return 0;
    lc_fd_path(link, (int)fd);
    long n = lc_sys_readlink(link, scratch->full, LC_PATH_MAX - 1);
    lc_sys_close((int)fd);
    if (n <= 0 || scratch->full[0] != '/')
        return 0;
    scratch->full[n] = '\0';
    return (size_t)n;
}

/* As real_path(), for a name that need not exist: the real path of its directory, and the name. */
static size_t real_path_of_new(struct lc_scratch *scratch, int dirfd, const char *path)
{
    char *directory = scratch->staged; /* not in use here */
    size_t end = lc_bytes_length(path), start;

    while (end > 1 && path[end - 1] == '/')
        end--;
    for (start = end; start > 0 && path[start - 1] != '/'; start--)
        ;
    if (start >= LC_PATH_MAX)
        return 0;
    lc_bytes_move(directory, start ? path : ".", start ? start : 1);
    directory[start ? start : 1] = '\0';
    size_t n = real_path(scratch, dirfd, directory, O_DIRECTORY);
    if (n == 0 || n + 1 + (end - start) >= LC_PATH_MAX)
        return 0;
    scratch->full[n++] = '/';
    lc_bytes_move(scratch->full + n, path + start, end - start);
    scratch->full[n + end - start] = '\0';
    return n + end - start;
}

/* Does the image know for certain where this path leads now? */
static bool target_is_certain(const struct target *t)
{
    if (t->found.answer == LC_ANSWER_ABSENT)
        return lc_node_is_still_absent(t->node, t->path, t->len);
    return t->found.answer == LC_ANSWER_FOUND;
}

/* A link that the image does not know may lead to a file that it knows: ask the kernel for the real
 * path and look that up. */
static void target_look_up_real(struct target *t, int dirfd, const char *path,
                                enum lc_change change)
{
    size_t n = change_follows_links(change) ? real_path(t->scratch, dirfd, path, 0) : 0;

    if (n == 0)
        n = real_path_of_new(t->scratch, dirfd, path);
    if (n > 0)
        target_look_up(t, n, change);
}

/* For a process in which we may make no system calls: only what is in memory is used. If that does
 * not tell which entry changes, all processes of the node are told that a write was not noticed. */
static bool target_is_certain_in_memory(const struct target *t, const char *path)
{
    if (target_is_certain(t))
        return true;
    if (path[0] != '/' || lc_is_managed(t->node, path))
        lc_node_set_uncovered(t->node);
    return false;
}

/* Look up the path of a change. True: the caller gives t->scratch back. */
static bool target_find(struct target *t, int dirfd, const char *path, enum lc_change change)
{
    const struct lc_node *quiet = lc_client_node_no_syscalls();

    t->node = quiet ? quiet : lc_client_node();
    t->scratch = t->node && path && lc_is_text(path) && path[0] ? lc_scratch_take() : NULL;
    if (!t->scratch)
        return false;
    size_t len = quiet && path[0] != '/' ? 0 : lc_make_absolute(t->node, t->scratch, dirfd, path);
    t->found = (struct lc_found){LC_ANSWER_UNKNOWN, LC_NONE, 0};
    t->len = 0;
    if (len)
        target_look_up(t, len, change);
    if (quiet)
        return target_is_certain_in_memory(t, path) || (lc_scratch_give(t->scratch), false);
    if (!target_is_certain(t))
        target_look_up_real(t, dirfd, path, change);
    return true;
}

void lc_invalidate_entry(const struct lc_node *node, uint32_t entry)
{
    const struct lc_inode *inode = entry == LC_NONE ? NULL : lc_look_inode(&node->look, entry);

    lc_node_set_written(node, entry);
    for (uint32_t i = 0; inode && inode->nlink > 1 && i < node->look.entries; i++)
        if (lc_look_inode(&node->look, i) == inode)
            lc_node_set_written(node, i);
}

static void target_invalidate(const struct target *t)
{
    if (t->len == 0)
        return;
    lc_invalidate_entry(t->node, lc_look_find(&t->node->look, t->path, t->len));
    lc_node_set_written(t->node, lc_node_entry_above(t->node, t->path, t->len));
    if (lc_is_managed(t->node, t->path))
        lc_node_note_miss(t->node, LC_MISS_WRITE, t->path);
}

static bool target_exists(const struct target *t)
{
    return t->found.answer == LC_ANSWER_FOUND && !lc_node_is_off(t->node) &&
           !lc_node_is_written(t->node, t->found.entry);
}

bool lc_is_known_to_exist(int dirfd, const char *path)
{
    struct target t;

    if (!target_find(&t, dirfd, path, LC_CHANGE_MAKE))
        return false;
    lc_scratch_give(t.scratch);
    return target_exists(&t);
}

bool lc_invalidate_before(int dirfd, const char *path, enum lc_change change)
{
    struct target t;

    if (!target_find(&t, dirfd, path, change))
        return false;
    bool is_made_already = change == LC_CHANGE_MAKE && target_exists(&t);
    if (!is_made_already)
        target_invalidate(&t);
    lc_scratch_give(t.scratch);
    return is_made_already || change == LC_CHANGE_REMOVE || change == LC_CHANGE_RIGHTS;
}

/* If a link or directory disappears, all paths through it change; the same is true of its access
 * rights. Those entries are too many to invalidate one by one, so the client is switched off for
 * the whole node. */
void lc_invalidate_after(int dirfd, const char *path, enum lc_change change)
{
    struct target t;

    if (!target_find(&t, dirfd, path, change))
        return;
    target_invalidate(&t);
    if (t.found.answer == LC_ANSWER_FOUND && t.node->look.entry[t.found.entry].kind != LC_KIND_FILE)
        lc_node_set_off(t.node);
    lc_scratch_give(t.scratch);
}
