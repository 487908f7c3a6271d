/* SPDX-License-Identifier: MIT */
/* query.c - look up a path that a program passed in the image */
#include "client/preload/path_query.h"

#include <linux/mman.h>

#include "client/preload/readable.h"
#include "image/bytes.h"
#include "node/mounts.h"
#include "node/starts.h"
#include "node/syscall.h"

enum { POOL_SIZE = 8, FDCWD = -100, LC_NAME_MAX = 255 };

static struct lc_scratch pool[POOL_SIZE];
static char is_taken[POOL_SIZE];

struct lc_scratch *lc_scratch_take(void)
{
    lc_client_note_part(LC_PART_NONE, LC_PART_PRELOAD);
    for (int i = 0; i < POOL_SIZE; i++)
        if (!__atomic_exchange_n(&is_taken[i], 1, __ATOMIC_ACQUIRE))
            return &pool[i];
    void *at = lc_sys_mmap(sizeof(struct lc_scratch), PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1);
    return lc_sys_is_error(at) ? NULL : at;
}

void lc_scratch_give(struct lc_scratch *scratch)
{
    lc_client_note_part(LC_PART_PRELOAD, LC_PART_NONE);
    if (scratch >= pool && scratch < pool + POOL_SIZE)
        __atomic_store_n(&is_taken[scratch - pool], 0, __ATOMIC_RELEASE);
    else if (scratch)
        lc_sys_munmap(scratch, sizeof(*scratch));
}

void lc_fd_path(char *out, int fd)
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

/* A descriptor may be of a file or of a link itself: relative paths from there are left to the
 * kernel. */
static bool path_is_directory(const struct lc_node *node, const char *path, size_t len)
{
    uint32_t entry = lc_look_find(&node->look, path, len);

    return entry == LC_NONE || node->look.entry[entry].kind == LC_KIND_DIRECTORY;
}

/* The directory from which a relative path starts, by its original name; its length, or 0. */
static size_t base_directory_read(const struct lc_node *node, int dirfd, char *out, size_t size)
{
    char link[40];
    long n;

    if (dirfd == FDCWD) {
        n = lc_sys_getcwd(out, size) - 1; /* the kernel counts the NUL */
    } else if (dirfd < 0) {
        return 0;
    } else {
        lc_fd_path(link, dirfd);
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
    return dirfd == FDCWD || path_is_directory(node, out, (size_t)n) ? (size_t)n : 0;
}

size_t lc_make_absolute(const struct lc_node *node, struct lc_scratch *scratch, int dirfd,
                        const char *path)
{
    size_t base = 0, n = 0, name = 0;
    const char *original = path[0] == '/' ? lc_node_original(node, path) : NULL;

    if (original)
        path = original;
    if (path[0] != '/') {
        base = base_directory_read(node, dirfd, scratch->full, LC_PATH_MAX);
        if (base == 0)
            return 0;
        scratch->full[base++] = '/';
    }
    for (; path[n]; n++) {
        name = path[n] == '/' ? 0 : name + 1;
        if (n + 1 >= LC_PATH_MAX || name > LC_NAME_MAX)
            return 0;
        scratch->full[base + n] = path[n];
    }
    scratch->full[base + n] = '\0';
    return base + n;
}

bool lc_is_managed(const struct lc_node *node, const char *path)
{
    return lc_mounts_is_managed(&node->look, node->state->held, path);
}

void lc_query_pass(struct lc_query *query, enum lc_count_kind why)
{
    query->verdict = LC_PASS;
    lc_node_count_passed(query->node, why, query->path);
    if (why == LC_COUNT_PASS_UNKNOWN ||
        (why == LC_COUNT_PASS_NO_CONTENT && query->asked != LC_MISS_STAT))
        lc_node_note_miss(query->node, query->asked, query->path);
}

/* The image knows a link in the path but not what lies behind it: write the path with the link
 * resolved. */
static bool resolved_path_make(struct lc_query *query)
{
    const struct lc_walk *walk = &query->scratch->walk;
    size_t rest = sizeof(walk->rest) - walk->at;
    char *out = query->scratch->staged; /* not in use: the path has no staged file */

    if (walk->len == 0 || walk->links == 0 || walk->len + rest >= LC_PATH_MAX ||
        lc_node_has_written(query->node))
        return false;
    lc_bytes_move(out, walk->path, walk->len);
    lc_bytes_move(out + walk->len, walk->rest + walk->at, rest);
    out[walk->len + rest] = '\0';
    query->resolved = out;
    return true;
}

/* Something was written on this node. Is this entry affected? A directory is not: its recorded
 * names still exist. */
static bool entry_is_outdated(const struct lc_query *query, uint32_t entry)
{
    bool is_link = query->what->kind == LC_KIND_SYMLINK;

    return (query->what->kind != LC_KIND_DIRECTORY && lc_node_is_written(query->node, entry)) ||
           !lc_node_confirm(query->node, query->scratch->full, is_link, entry);
}

static void verdict_set(struct lc_query *query, struct lc_found found, size_t given_len)
{
    const struct lc_look *look = &query->node->look;
    struct lc_walk *walk = &query->scratch->walk;

    if (found.answer == LC_ANSWER_FOUND) {
        query->entry = found.entry;
        query->what = &look->entry[found.entry];
        query->inode = lc_look_inode(look, found.entry);
        query->path = lc_look_name(look, query->what->path);
        query->len = query->what->path_len;
        query->verdict = LC_KNOWN;
        if (!query->inode || query->inode->mount >= query->node->state->devs)
            lc_query_pass(query, LC_COUNT_PASS_UNKNOWN);
        else if (lc_node_has_written(query->node) && entry_is_outdated(query, found.entry))
            lc_query_pass(query, LC_COUNT_PASS_WRITTEN);
        return;
    }
    if (found.answer == LC_ANSWER_ABSENT) {
        const char *path = walk->len ? walk->path : query->scratch->full;
        size_t len = walk->len ? walk->len : given_len;
        if (lc_node_is_still_absent(query->node, path, len)) {
            query->verdict = LC_ABSENT;
            query->error = found.error;
            lc_node_count(query->node, LC_COUNT_ABSENT);
        } else {
            lc_query_pass(query, LC_COUNT_PASS_WRITTEN);
        }
        return;
    }
    const char *path = resolved_path_make(query) ? query->resolved : query->path;
    lc_query_pass(query,
                  lc_is_managed(query->node, path) ? LC_COUNT_PASS_UNKNOWN : LC_COUNT_PASS_OUTSIDE);
}

static enum lc_miss_kind asked_by(int flags)
{
    return flags & LC_QUERY_EXEC   ? LC_MISS_EXEC
           : flags & LC_QUERY_READ ? LC_MISS_READ
           : flags & LC_QUERY_LIST ? LC_MISS_LIST
                                   : LC_MISS_STAT;
}

void lc_query_with(struct lc_query *query, struct lc_scratch *scratch, int dirfd, const char *path,
                   int flags)
{
    *query = (struct lc_query){
        .node = lc_client_node(), .scratch = scratch, .entry = LC_NONE, .asked = asked_by(flags)};
    if (!query->node || !scratch || !path || !path[0] || lc_node_is_off(query->node))
        return;
    size_t len = lc_make_absolute(query->node, scratch, dirfd, path);
    if (len == 0)
        return;
    query->path = scratch->full;
    query->len = len;
    scratch->walk.len = 0;
    verdict_set(query,
                lc_look_walk(&query->node->look, scratch->full, len,
                             flags & LC_QUERY_NOFOLLOW ? LC_WALK_NOFOLLOW : 0, &scratch->walk),
                len);
}

void lc_query_begin(struct lc_query *query, int dirfd, const char *path, int flags)
{
    const struct lc_node *node = lc_client_node();

    bool is_asked = node && path && lc_is_text(path) && path[0];

    lc_query_with(query, is_asked ? lc_scratch_take() : NULL, dirfd, path, flags);
}

void lc_query_end(struct lc_query *query)
{
    lc_scratch_give(query->scratch);
    query->scratch = NULL;
}

const char *lc_query_staged_path(struct lc_query *query)
{
    if (query->what->kind == LC_KIND_FILE && query->inode->data != LC_NO_CONTENT &&
        lc_node_staged_path(query->node, query->path, query->len, query->scratch->staged,
                            sizeof(query->scratch->staged)))
        return query->scratch->staged;
    lc_query_pass(query, LC_COUNT_PASS_NO_CONTENT);
    return NULL;
}
