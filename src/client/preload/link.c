/* SPDX-License-Identifier: MIT */
/* link.c - readlink, readlinkat, realpath and their spellings */
#include <dlfcn.h>
#include <linux/fcntl.h>

#include "client/preload/ask.h"
#include "client/preload/libc.h"
#include "client/preload/next.h"
#include "client/preload/readable.h"
#include "image/bytes.h"
#include "node/syscall.h"

static bool has_prefix(const char *path, const char *prefix)
{
    while (*prefix && *path == *prefix) {
        path++;
        prefix++;
    }
    return !*prefix;
}

/* Where links name open files. */
static bool is_below_proc(const char *path)
{
    return path && (has_prefix(path, "/proc/") || has_prefix(path, "/dev/fd/"));
}

/* True: answered; *result is what readlink returns. */
static bool answer_readlink(int dirfd, const char *path, char *to, size_t size, long *result)
{
    struct lc_ask ask;

    if (is_below_proc(path))
        return false;
    lc_ask_begin(&ask, dirfd, path, LC_ASK_NOFOLLOW);
    if (ask.verdict == LC_KNOWN && ask.what->kind == LC_KIND_SYMLINK) {
        const char *target = lc_look_name(&ask.node->look, (uint32_t)ask.inode->data);
        size_t n = lc_bytes_length(target);
        *result = (long)(n < size ? n : size);
        lc_bytes_move(to, target, (size_t)*result);
    } else if (ask.verdict != LC_PASS) {
        lc_set_errno(ask.verdict == LC_ABSENT ? ask.error : 22 /* EINVAL: not a link */);
        *result = -1;
    }
    if (ask.verdict == LC_KNOWN)
        lc_node_count(ask.node, LC_COUNT_READLINK);
    lc_ask_end(&ask);
    return ask.verdict != LC_PASS;
}

/* /proc names staged files: give the original's name back. */
static long mend_link(char *to, long n)
{
    const struct lc_node *node = n > 0 ? lc_client_node() : NULL;
    size_t skip = node ? node->files_len : 0;

    if (!node || (size_t)n <= skip || to[skip] != '/' || !lc_bytes_equal(to, node->files, skip))
        return n;
    lc_bytes_move(to, to + skip, (size_t)n - skip);
    return n - (long)skip;
}

/* A buffer too small for the staged name might still hold the original: ask into a larger one. */
static long read_proc_link(int dirfd, const char *path, char *to, size_t size)
{
    struct lc_room *room = lc_client_node() ? lc_room_take() : NULL;

    if (!room)
        return LC_SYS4(__NR_readlinkat, dirfd, path, to, size);
    long n = LC_SYS4(__NR_readlinkat, dirfd, path, room->full, sizeof(room->full));
    if (n > 0) {
        n = mend_link(room->full, n);
        n = n < (long)size ? n : (long)size;
        lc_bytes_move(to, room->full, (size_t)n);
    }
    lc_room_give(room);
    return n;
}

static long do_readlink(int dirfd, const char *path, char *to, size_t size)
{
    long result = -1;

    if (size == 0 || (long)size < 0 || !lc_client_node() || !path || !lc_is_text(path) ||
        !lc_is_place(to, 1))
        return lc_return(LC_SYS4(__NR_readlinkat, dirfd, path, to, size));
    if (answer_readlink(dirfd, path, to, size, &result))
        return result;
    if (is_below_proc(path))
        return lc_return(read_proc_link(dirfd, path, to, size));
    return lc_return(LC_SYS4(__NR_readlinkat, dirfd, path, to, size));
}

EXPORT(long, readlink, const char *path, char *to, size_t size)
{
    return do_readlink(AT_FDCWD, path, to, size);
}

EXPORT(long, readlinkat, int dirfd, const char *path, char *to, size_t size)
{
    return do_readlink(dirfd, path, to, size);
}

EXPORT(long, __readlink_chk, const char *path, char *to, size_t size, size_t room)
{
    if (size > room)
        return NEXT(long, __readlink_chk, (const char *, char *, size_t, size_t))(path, to, size,
                                                                                  room);
    return do_readlink(AT_FDCWD, path, to, size);
}

EXPORT(long, __readlinkat_chk, int dirfd, const char *path, char *to, size_t size, size_t room)
{
    if (size > room)
        return NEXT(long, __readlinkat_chk,
                    (int, const char *, char *, size_t, size_t))(dirfd, path, to, size, room);
    return do_readlink(dirfd, path, to, size);
}

/* The length of that part of an absent path that ends with the first name that is missing; 0 if the
 * image cannot tell which it is. */
static size_t missing_part(const struct lc_look *look, const char *path, size_t len)
{
    enum lc_answer above = LC_ANSWER_FOUND;

    for (size_t n = 1; n <= len; n++) {
        if (n < len && path[n] != '/')
            continue;
        enum lc_answer now = lc_look_clean(look, path, n).answer;
        if (now == LC_ANSWER_ABSENT)
            return above == LC_ANSWER_FOUND ? n : 0;
        above = now;
    }
    return 0;
}

/* In a caller's buffer the C library leaves how far it came: the first name that is missing. False
 * if that cannot be told. */
static bool leave_missing(const struct lc_ask *ask, char *to)
{
    const struct lc_walk *walk = &ask->room->walk;
    const char *path = walk->len ? walk->path : ask->room->full;
    size_t len = walk->len ? walk->len : ask->len;
    bool is_plain = ask->error == 2 /* ENOENT */ || ask->error == 20 /* ENOTDIR */;
    size_t n = is_plain ? missing_part(&ask->node->look, path, len) : 0;

    if (n == 0)
        return false;
    lc_bytes_move(to, path, n);
    to[n] = '\0';
    return true;
}

/* True: answered; *result is the path (in 'to', or allocated), or NULL with errno set. */
static bool answer_realpath(const char *path, char *to, char **result)
{
    struct lc_ask ask;

    lc_ask_begin(&ask, AT_FDCWD, path, 0);
    *result = NULL;
    if (ask.verdict == LC_ABSENT && to && !leave_missing(&ask, to))
        lc_ask_pass(&ask, LC_COUNT_PASS_UNKNOWN);
    if (ask.verdict == LC_ABSENT)
        lc_set_errno(ask.error);
    if (ask.verdict == LC_KNOWN) {
        if (!to && malloc)
            to = malloc(ask.len + 1);
        if (to)
            lc_bytes_move(to, ask.path, ask.len + 1);
        *result = to;
        lc_node_count(ask.node, LC_COUNT_READLINK);
    }
    lc_ask_end(&ask);
    return ask.verdict != LC_PASS;
}

/* What the C library found may be a staged name: /proc/self/exe and the like. */
static char *mend_realpath(char *result)
{
    if (result) {
        long n = (long)lc_bytes_length(result), left = mend_link(result, n);
        result[left] = '\0';
    }
    return result;
}

EXPORT(char *, realpath, const char *path, char *to)
{
    char *result;

    if (answer_realpath(path, to, &result))
        return result;
    return mend_realpath(NEXT(char *, realpath, (const char *, char *))(path, to));
}

EXPORT(char *, __realpath_chk, const char *path, char *to, size_t size)
{
    char *result;

    if (size >= LC_PATH_MAX && answer_realpath(path, to, &result))
        return result;
    return mend_realpath(
        NEXT(char *, __realpath_chk, (const char *, char *, size_t))(path, to, size));
}

EXPORT(char *, canonicalize_file_name, const char *path)
{
    char *result;

    if (answer_realpath(path, NULL, &result))
        return result;
    return mend_realpath(NEXT(char *, canonicalize_file_name, (const char *))(path));
}

/* dlinfo: where an object was loaded from, and where it searches. */
static void mend_search(const struct lc_node *node, Dl_serinfo *s)
{
    for (unsigned i = 0; i < s->dls_cnt; i++) {
        const char *original = lc_node_original(node, s->dls_serpath[i].dls_name);
        if (original)
            s->dls_serpath[i].dls_name = (char *)(uintptr_t)original;
    }
}

EXPORT(int, dlinfo, void *handle, int request, void *to)
{
    int result = NEXT(int, dlinfo, (void *, int, void *))(handle, request, to);
    const struct lc_node *node = result == 0 ? lc_client_node() : NULL;
    const char *original = node && request == RTLD_DI_ORIGIN ? lc_node_original(node, to) : NULL;

    if (original)
        lc_bytes_move(to, original, lc_bytes_length(original) + 1);
    if (node && request == RTLD_DI_SERINFO)
        mend_search(node, to);
    return result;
}
