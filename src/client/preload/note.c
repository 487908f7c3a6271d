/* SPDX-License-Identifier: MIT */
/* note.c - what is about to change is taken out of service, for every process on the node
 *
 * Noted before the call: who asks in between is sent to the file system, which is always right.
 * Bits are never taken back.
 */
#include <linux/fcntl.h>

#include "client/preload/ask.h"
#include "client/preload/readable.h"
#include "image/bytes.h"
#include "node/syscall.h"

/* A path, and what the image knows of it. */
struct target {
    const struct lc_node *node;
    struct lc_room *room;
    struct lc_found found;
    const char *path; /* without links, as far as known; in the room, or the image's */
    size_t len;       /* 0: nothing can be told */
};

static bool follows(enum lc_change change)
{
    return change == LC_CHANGE_CONTENT || change == LC_CHANGE_RIGHTS;
}

static void look(struct target *t, size_t len, enum lc_change change)
{
    const struct lc_look *image = &t->node->look;
    struct lc_walk *walk = &t->room->walk;

    walk->len = 0;
    t->found =
        lc_look_walk(image, t->room->full, len, follows(change) ? 0 : LC_WALK_NOFOLLOW, walk);
    t->path = walk->len ? walk->path : t->room->full;
    t->len = walk->len ? walk->len : len;
    if (t->found.answer == LC_ANSWER_FOUND) {
        t->path = lc_look_name(image, image->entry[t->found.entry].path);
        t->len = image->entry[t->found.entry].path_len;
    }
}

/* The file a path leads to, as the kernel sees it, in room->full; its length, or 0. */
static size_t real_path(struct lc_room *room, int dirfd, const char *path, int flags)
{
    char link[40];
    long fd = lc_sys_openat(dirfd, path, O_PATH | O_CLOEXEC | flags, 0);

    if (fd < 0)
        return 0;
    lc_name_fd(link, (int)fd);
    long n = lc_sys_readlink(link, room->full, LC_PATH_MAX - 1);
    lc_sys_close((int)fd);
    if (n <= 0 || room->full[0] != '/')
        return 0;
    room->full[n] = '\0';
    return (size_t)n;
}

/* The same for a name that need not exist: its directory's real path, and itself. */
static size_t real_name(struct lc_room *room, int dirfd, const char *path)
{
    char *directory = room->staged; /* free here */
    size_t end = lc_bytes_length(path), start;

    while (end > 1 && path[end - 1] == '/')
        end--;
    for (start = end; start > 0 && path[start - 1] != '/'; start--)
        ;
    if (start >= LC_PATH_MAX)
        return 0;
    lc_bytes_move(directory, start ? path : ".", start ? start : 1);
    directory[start ? start : 1] = '\0';
    size_t n = real_path(room, dirfd, directory, O_DIRECTORY);
    if (n == 0 || n + 1 + (end - start) >= LC_PATH_MAX)
        return 0;
    room->full[n++] = '/';
    lc_bytes_move(room->full + n, path + start, end - start);
    room->full[n + end - start] = '\0';
    return n + end - start;
}

/* Can the image tell where this path leads today? */
static bool is_told(const struct target *t)
{
    if (t->found.answer == LC_ANSWER_ABSENT)
        return lc_node_is_still_absent(t->node, t->path, t->len);
    return t->found.answer == LC_ANSWER_FOUND;
}

/* A link that the image does not know, on this disk or another, may lead to what it knows. */
static void look_again(struct target *t, int dirfd, const char *path, enum lc_change change)
{
    size_t n = follows(change) ? real_path(t->room, dirfd, path, 0) : 0;

    if (n == 0)
        n = real_name(t->room, dirfd, path);
    if (n > 0)
        look(t, n, change);
}

/* A process that may make no system calls of ours: what memory alone tells. Else the whole node is
 * told that something was written unseen. */
static bool is_told_quietly(const struct target *t, const char *path)
{
    if (is_told(t))
        return true;
    if (path[0] != '/' || lc_is_managed(t->node, path))
        lc_node_set_uncovered(t->node);
    return false;
}

/* True: give the room back. */
static bool find_target(struct target *t, int dirfd, const char *path, enum lc_change change)
{
    const struct lc_node *quiet = lc_client_hushed();

    t->node = quiet ? quiet : lc_client_node();
    t->room = t->node && path && lc_is_text(path) && path[0] ? lc_room_take() : NULL;
    if (!t->room)
        return false;
    size_t len = quiet && path[0] != '/' ? 0 : lc_make_absolute(t->node, t->room, dirfd, path);
    t->found = (struct lc_found){LC_ANSWER_UNKNOWN, LC_NONE, 0};
    t->len = 0;
    if (len)
        look(t, len, change);
    if (quiet)
        return is_told_quietly(t, path) || (lc_room_give(t->room), false);
    if (!is_told(t))
        look_again(t, dirfd, path, change);
    return true;
}

void lc_note_entry(const struct lc_node *node, uint32_t entry)
{
    const struct lc_inode *inode = entry == LC_NONE ? NULL : lc_look_inode(&node->look, entry);

    lc_node_set_written(node, entry);
    for (uint32_t i = 0; inode && inode->nlink > 1 && i < node->look.entries; i++)
        if (lc_look_inode(&node->look, i) == inode)
            lc_node_set_written(node, i);
}

static void take_out(const struct target *t)
{
    if (t->len == 0)
        return;
    lc_note_entry(t->node, lc_look_find(&t->node->look, t->path, t->len));
    lc_node_set_written(t->node, lc_node_entry_above(t->node, t->path, t->len));
}

static bool is_there(const struct target *t)
{
    return t->found.answer == LC_ANSWER_FOUND && !lc_node_is_off(t->node) &&
           !lc_node_is_written(t->node, t->found.entry);
}

bool lc_is_there(int dirfd, const char *path)
{
    struct target t;

    if (!find_target(&t, dirfd, path, LC_CHANGE_MAKE))
        return false;
    lc_room_give(t.room);
    return is_there(&t);
}

bool lc_note_change(int dirfd, const char *path, enum lc_change change)
{
    struct target t;

    if (!find_target(&t, dirfd, path, change))
        return false;
    bool is_made_already = change == LC_CHANGE_MAKE && is_there(&t);
    if (!is_made_already)
        take_out(&t);
    lc_room_give(t.room);
    return is_made_already || change == LC_CHANGE_REMOVE || change == LC_CHANGE_RIGHTS;
}

/* A link or a directory that goes away takes every path through it along; that is too much to
 * follow, so the whole client steps aside. So it does when others may or may not look into one. */
void lc_note_done(int dirfd, const char *path, enum lc_change change)
{
    struct target t;

    if (!find_target(&t, dirfd, path, change))
        return;
    take_out(&t);
    if (t.found.answer == LC_ANSWER_FOUND && t.node->look.entry[t.found.entry].kind != LC_KIND_FILE)
        lc_node_set_off(t.node);
    lc_room_give(t.room);
}
