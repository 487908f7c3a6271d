/* SPDX-License-Identifier: MIT */
/* ask.c - from a path as a program writes it to what the image knows of it */
#include "client/preload/ask.h"

#include <linux/mman.h>

#include "client/preload/readable.h"
#include "image/bytes.h"
#include "node/mounts.h"
#include "node/syscall.h"

enum { ROOMS = 8, FDCWD = -100, LC_NAME_MAX = 255 };

static struct lc_room rooms[ROOMS];
static char is_taken[ROOMS];

struct lc_room *lc_room_take(void)
{
    for (int i = 0; i < ROOMS; i++)
        if (!__atomic_exchange_n(&is_taken[i], 1, __ATOMIC_ACQUIRE))
            return &rooms[i];
    void *at = lc_sys_mmap(sizeof(struct lc_room), PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1);
    return lc_sys_is_error(at) ? NULL : at;
}

void lc_room_give(struct lc_room *room)
{
    if (room >= rooms && room < rooms + ROOMS)
        __atomic_store_n(&is_taken[room - rooms], 0, __ATOMIC_RELEASE);
    else if (room)
        lc_sys_munmap(room, sizeof(*room));
}

void lc_name_fd(char *out, int fd)
{
    static const char prefix[] = "/proc/self/fd/";
    char digits[12];
    size_t n = 0, at = sizeof(prefix) - 1;

    lc_bytes_move(out, prefix, at);
    do
        digits[n++] = (char)('0' + fd % 10);
    while ((fd /= 10) > 0);
    while (n > 0)
        out[at++] = digits[--n];
    out[at] = '\0';
}

/* A descriptor may also be of a file, or of a link itself: then the kernel has its own answer. */
static bool is_directory(const struct lc_node *node, const char *path, size_t len)
{
    uint32_t entry = lc_look_find(&node->look, path, len);

    return entry == LC_NONE || node->look.entry[entry].kind == LC_KIND_DIRECTORY;
}

/* The directory a relative path starts from, by its original name; its length, or 0. */
static size_t read_base(const struct lc_node *node, int dirfd, char *out, size_t size)
{
    char link[40];
    long n;

    if (dirfd == FDCWD) {
        n = lc_sys_getcwd(out, size) - 1; /* the kernel counts the NUL */
    } else if (dirfd < 0) {
        return 0;
    } else {
        lc_name_fd(link, dirfd);
        n = lc_sys_readlink(link, out, size - 1);
    }
    if (n <= 0 || out[0] != '/')
        return 0;
    out[n] = '\0';
    const char *original = lc_node_original(node, out);
    if (original) {
        n = (long)lc_bytes_length(original);
        lc_bytes_move(out, original, (size_t)n + 1);
    }
    return dirfd == FDCWD || is_directory(node, out, (size_t)n) ? (size_t)n : 0;
}

size_t lc_make_absolute(const struct lc_node *node, struct lc_room *room, int dirfd,
                        const char *path)
{
    size_t base = 0, n = 0, name = 0;
    const char *original = path[0] == '/' ? lc_node_original(node, path) : NULL;

    if (original)
        path = original;
    if (path[0] != '/') {
        base = read_base(node, dirfd, room->full, LC_PATH_MAX);
        if (base == 0)
            return 0;
        room->full[base++] = '/';
    }
    for (; path[n]; n++) {
        name = path[n] == '/' ? 0 : name + 1;
        if (n + 1 >= LC_PATH_MAX || name > LC_NAME_MAX)
            return 0;
        room->full[base + n] = path[n];
    }
    room->full[base + n] = '\0';
    return base + n;
}

bool lc_is_managed(const struct lc_node *node, const char *path)
{
    return lc_mounts_is_managed(&node->look, node->state->held, path);
}

void lc_ask_pass(struct lc_ask *ask, enum lc_count_kind why)
{
    ask->verdict = LC_PASS;
    lc_node_count_passed(ask->node, why, ask->path);
}

/* A link that is recorded leads to where nothing is. */
static bool find_elsewhere(struct lc_ask *ask)
{
    const struct lc_walk *walk = &ask->room->walk;
    size_t rest = sizeof(walk->rest) - walk->at;
    char *out = ask->room->staged; /* nothing is staged */

    if (walk->len == 0 || walk->links == 0 || walk->len + rest >= LC_PATH_MAX ||
        lc_node_has_written(ask->node))
        return false;
    lc_bytes_move(out, walk->path, walk->len);
    lc_bytes_move(out + walk->len, walk->rest + walk->at, rest);
    out[walk->len + rest] = '\0';
    ask->elsewhere = out;
    return true;
}

/* Something was written: this? Names in a directory that was are still there. */
static bool is_old(const struct lc_ask *ask, uint32_t entry)
{
    bool is_link = ask->what->kind == LC_KIND_SYMLINK;

    return (ask->what->kind != LC_KIND_DIRECTORY && lc_node_is_written(ask->node, entry)) ||
           !lc_node_confirm(ask->node, ask->room->full, is_link, entry);
}

static void judge(struct lc_ask *ask, struct lc_found found, size_t given_len)
{
    const struct lc_look *look = &ask->node->look;
    struct lc_walk *walk = &ask->room->walk;

    if (found.answer == LC_ANSWER_FOUND) {
        ask->entry = found.entry;
        ask->what = &look->entry[found.entry];
        ask->inode = lc_look_inode(look, found.entry);
        ask->path = lc_look_name(look, ask->what->path);
        ask->len = ask->what->path_len;
        ask->verdict = LC_KNOWN;
        if (!ask->inode || ask->inode->mount >= ask->node->state->devs)
            lc_ask_pass(ask, LC_COUNT_PASS_UNKNOWN);
        else if (lc_node_has_written(ask->node) && is_old(ask, found.entry))
            lc_ask_pass(ask, LC_COUNT_PASS_WRITTEN);
        return;
    }
    if (found.answer == LC_ANSWER_ABSENT) {
        const char *path = walk->len ? walk->path : ask->room->full;
        size_t len = walk->len ? walk->len : given_len;
        if (lc_node_is_still_absent(ask->node, path, len)) {
            ask->verdict = LC_ABSENT;
            ask->error = found.error;
            lc_node_count(ask->node, LC_COUNT_ABSENT);
        } else {
            lc_ask_pass(ask, LC_COUNT_PASS_WRITTEN);
        }
        return;
    }
    lc_ask_pass(ask, !find_elsewhere(ask) && lc_is_managed(ask->node, ask->path)
                         ? LC_COUNT_PASS_UNKNOWN
                         : LC_COUNT_PASS_OUTSIDE);
}

void lc_ask_in_room(struct lc_ask *ask, struct lc_room *room, int dirfd, const char *path,
                    int flags)
{
    *ask = (struct lc_ask){.node = lc_client_node(), .room = room, .entry = LC_NONE};
    if (!ask->node || !room || !path || !path[0] || lc_node_is_off(ask->node))
        return;
    size_t len = lc_make_absolute(ask->node, room, dirfd, path);
    if (len == 0)
        return;
    ask->path = room->full;
    ask->len = len;
    room->walk.len = 0;
    judge(ask,
          lc_look_walk(&ask->node->look, room->full, len,
                       flags & LC_ASK_NOFOLLOW ? LC_WALK_NOFOLLOW : 0, &room->walk),
          len);
}

void lc_ask_begin(struct lc_ask *ask, int dirfd, const char *path, int flags)
{
    const struct lc_node *node = lc_client_node();

    bool is_asked = node && path && lc_is_text(path) && path[0];

    lc_ask_in_room(ask, is_asked ? lc_room_take() : NULL, dirfd, path, flags);
}

void lc_ask_end(struct lc_ask *ask)
{
    lc_room_give(ask->room);
    ask->room = NULL;
}

const char *lc_ask_staged(struct lc_ask *ask)
{
    if (ask->what->kind == LC_KIND_FILE && ask->inode->data != LC_NO_CONTENT &&
        lc_node_staged_path(ask->node, ask->path, ask->len, ask->room->staged,
                            sizeof(ask->room->staged)))
        return ask->room->staged;
    lc_ask_pass(ask, LC_COUNT_PASS_NO_CONTENT);
    return NULL;
}
