/* SPDX-License-Identifier: MIT */
/* link.c - readlink, readlinkat, realpath and their variants */
#include <dlfcn.h>
#include <linux/fcntl.h>

#include "client/preload/path_query.h"
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

/* Links below /proc name open files. */
static bool is_below_proc(const char *path)
{
    return path && (has_prefix(path, "/proc/") || has_prefix(path, "/dev/fd/"));
}

/* Answer from the image. True: *result is what readlink returns, with errno set on failure. */
static bool readlink_answer(int dirfd, const char *path, char *to, size_t size, long *result)
{
    struct lc_query query;

    if (is_below_proc(path))
        return false;
    lc_query_begin(&query, dirfd, path, LC_QUERY_NOFOLLOW);
    if (query.verdict == LC_KNOWN && query.what->kind == LC_KIND_SYMLINK) {
        const char *target = lc_look_name(&query.node->look, (uint32_t)query.inode->data);
        size_t n = lc_bytes_length(target);
        *result = (long)(n < size ? n : size);
        lc_bytes_move(to, target, (size_t)*result);
    } else if (query.verdict != LC_PASS) {
        lc_set_errno(query.verdict == LC_ABSENT ? query.error : 22 /* EINVAL: not a link */);
        *result = -1;
    }
    if (query.verdict == LC_KNOWN)
        lc_node_count(query.node, LC_COUNT_READLINK);
    lc_query_end(&query);
    return query.verdict != LC_PASS;
}

/* Links below /proc may name a staged file: replace it by the name of the original. Returns the
 * length. */
static long staged_link_replace(char *to, long n)
{
    const struct lc_node *node = n > 0 ? lc_client_node() : NULL;
    size_t skip = node ? node->files_len : 0;

    if (!node || (size_t)n <= skip || to[skip] != '/' || !lc_bytes_equal(to, node->files, skip))
        return n;
    lc_bytes_move(to, to + skip, (size_t)n - skip);
    return n - (long)skip;
}

/* The original's name may fit in a buffer that is too small for the staged name: read into a larger
 * one. */
static long proc_link_read(int dirfd, const char *path, char *to, size_t size)
{
    struct lc_scratch *scratch = lc_client_node() ? lc_scratch_take() : NULL;

    if (!scratch)
        return LC_SYS4(__NR_readlinkat, dirfd, path, to, size);
    long n = LC_SYS4(__NR_readlinkat, dirfd, path, scratch->full, sizeof(scratch->full));
    if (n > 0) {
        n = staged_link_replace(scratch->full, n);
        n = n < (long)size ? n : (long)size;
        lc_bytes_move(to, scratch->full, (size_t)n);
    }
    lc_scratch_give(scratch);
    return n;
}

static long link_read(int dirfd, const char *path, char *to, size_t size)
{
    long result = -1;

    if (size == 0 || (long)size < 0 || !lc_client_node() || !path || !lc_is_text(path) ||
        !lc_is_place(to, 1))
        return lc_return(LC_SYS4(__NR_readlinkat, dirfd, path, to, size));
    if (readlink_answer(dirfd, path, to, size, &result))
        return result;
    if (is_below_proc(path))
        return lc_return(proc_link_read(dirfd, path, to, size));
    return lc_return(LC_SYS4(__NR_readlinkat, dirfd, path, to, size));
}

EXPORT(long, readlink, const char *path, char *to, size_t size)
{
    return link_read(AT_FDCWD, path, to, size);
}

EXPORT(long, readlinkat, int dirfd, const char *path, char *to, size_t size)
{
    return link_read(dirfd, path, to, size);
}

EXPORT(long, __readlink_chk, const char *path, char *to, size_t size, size_t room)
{
    if (size > room)
        return NEXT(long, __readlink_chk, (const char *, char *, size_t, size_t))(path, to, size,
                                                                                  room);
    return link_read(AT_FDCWD, path, to, size);
}

EXPORT(long, __readlinkat_chk, int dirfd, const char *path, char *to, size_t size, size_t room)
{
    if (size > room)
        return NEXT(long, __readlinkat_chk,
                    (int, const char *, char *, size_t, size_t))(dirfd, path, to, size, room);
    return link_read(dirfd, path, to, size);
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

/* On failure the C library leaves the path up to the first missing name in the caller's buffer; do
 * the same. False if that name is not known. */
static bool missing_part_write(const struct lc_query *query, char *to)
{
    const struct lc_walk *walk = &query->scratch->walk;
    const char *path = walk->len ? walk->path : query->scratch->full;
    size_t len = walk->len ? walk->len : query->len;
    bool is_plain = query->error == 2 /* ENOENT */ || query->error == 20 /* ENOTDIR */;
    size_t n = is_plain ? missing_part(&query->node->look, path, len) : 0;

    if (n == 0)
        return false;
    lc_bytes_move(to, path, n);
    to[n] = '\0';
    return true;
}

/* Answer from the image. True: *result is the path (in 'to', or allocated), or NULL with errno set.
 */
static bool realpath_answer(const char *path, char *to, char **result)
{
    struct lc_query query;

    lc_query_begin(&query, AT_FDCWD, path, 0);
    *result = NULL;
    if (query.verdict == LC_ABSENT && to && !missing_part_write(&query, to))
        lc_query_pass(&query, LC_COUNT_PASS_UNKNOWN);
    if (query.verdict == LC_ABSENT)
        lc_set_errno(query.error);
    if (query.verdict == LC_KNOWN) {
        if (!to && malloc)
            to = malloc(query.len + 1);
        if (to)
            lc_bytes_move(to, query.path, query.len + 1);
        *result = to;
        lc_node_count(query.node, LC_COUNT_READLINK);
    }
    lc_query_end(&query);
    return query.verdict != LC_PASS;
}

/* The C library's result may be a staged path, for /proc/self/exe for example: replace it by the
 * original's. */
static char *staged_realpath_replace(char *result)
{
    if (result) {
        long n = (long)lc_bytes_length(result), left = staged_link_replace(result, n);
        result[left] = '\0';
    }
    return result;
}

EXPORT(char *, realpath, const char *path, char *to)
{
    char *result;

    if (realpath_answer(path, to, &result))
        return result;
    return staged_realpath_replace(NEXT(char *, realpath, (const char *, char *))(path, to));
}

EXPORT(char *, __realpath_chk, const char *path, char *to, size_t size)
{
    char *result;

    if (size >= LC_PATH_MAX && realpath_answer(path, to, &result))
        return result;
    return staged_realpath_replace(
        NEXT(char *, __realpath_chk, (const char *, char *, size_t))(path, to, size));
}

EXPORT(char *, canonicalize_file_name, const char *path)
{
    char *result;

    if (realpath_answer(path, NULL, &result))
        return result;
    return staged_realpath_replace(NEXT(char *, canonicalize_file_name, (const char *))(path));
}

/* dlinfo: the directory from which an object was loaded, and its search path. Staged directories
 * are replaced by the originals. */
static void search_path_replace(const struct lc_node *node, Dl_serinfo *s)
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
        search_path_replace(node, to);
    return result;
}
