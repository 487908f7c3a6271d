/* SPDX-License-Identifier: MIT */
/* open.c - files opened: open, openat, creat, fopen, freopen and their variants */
#include <asm/stat.h>
#include <linux/fcntl.h>

#include "client/preload/libc_names.h"
#include "client/preload/path_query.h"
#include "client/preload/libc.h"
#include "client/preload/next.h"
#include "node/syscall.h"

#define VARIADIC_MODE(last)                                                      \
    __builtin_va_list lc_list;                                                   \
    __builtin_va_start(lc_list, last);                                           \
    unsigned mode = needs_mode(flags) ? __builtin_va_arg(lc_list, unsigned) : 0; \
    __builtin_va_end(lc_list)

enum { TMPFILE = 020000000 };

static bool needs_mode(int flags)
{
    return flags & (O_CREAT | TMPFILE);
}

static bool may_write(int flags)
{
    return (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC | TMPFILE));
}

/* Open a staged file: the descriptor, or a negative errno (EIO if the file has been truncated). */
static long staged_open(const struct lc_query *query, int flags)
{
    struct stat st;
    long fd = lc_sys_open(query->scratch->staged, flags);

    if (fd < 0 ||
        (LC_SYS3(__NR_fstat, fd, &st, 0) == 0 && (uint64_t)st.st_size == query->inode->size))
        return fd;
    lc_sys_close((int)fd);
    return -5; /* EIO */
}

/* Answer from the image. True: *fd is the result, or -1 with errno set. */
static bool open_answer(int dirfd, const char *path, int flags, int *fd)
{
    struct lc_query query;
    bool is_done = false;

    if (may_write(flags)) {
        lc_invalidate_before(dirfd, path, LC_CHANGE_CONTENT);
        return false;
    }
    if (flags & (O_PATH | O_NOATIME)) /* O_NOATIME fails for users other than the owner */
        return false;
    lc_query_begin(&query, dirfd, path,
                   LC_QUERY_READ | (flags & O_NOFOLLOW ? LC_QUERY_NOFOLLOW : 0));
    if (query.verdict == LC_ABSENT) {
        lc_set_errno(query.error);
        *fd = -1;
        is_done = true;
    } else if (query.verdict == LC_KNOWN && query.what->kind != LC_KIND_FILE) {
        lc_query_pass(&query, LC_COUNT_PASS_DIRECTORY);
    } else if (query.verdict == LC_KNOWN && (flags & O_DIRECTORY)) {
        lc_set_errno(20 /* ENOTDIR */);
        *fd = -1;
        is_done = true;
    } else if (query.verdict == LC_KNOWN && lc_query_staged_path(&query)) {
        long got = staged_open(&query, flags);
        if (got >= 0 || got == -24 /* EMFILE */ || got == -4 /* EINTR */) {
            lc_node_count_opened(query.node, got >= 0 ? query.inode->size : 0);
            *fd = (int)lc_return(got);
            is_done = true;
        } else {
            lc_query_pass(&query, LC_COUNT_PASS_NO_CONTENT);
        }
    } else if (query.resolved) {
        *fd = (int)lc_return(lc_sys_open(query.resolved, flags));
        is_done = true;
    }
    lc_query_end(&query);
    return is_done;
}

#define DEFINE_OPEN(name)                                                    \
    EXPORT(int, name, const char *path, int flags, ...)                      \
    {                                                                        \
        VARIADIC_MODE(flags);                                                \
        int fd;                                                              \
        if (open_answer(AT_FDCWD, path, flags, &fd))                         \
            return fd;                                                       \
        return NEXT(int, name, (const char *, int, ...))(path, flags, mode); \
    }

#define DEFINE_OPENAT(name)                                                              \
    EXPORT(int, name, int dirfd, const char *path, int flags, ...)                       \
    {                                                                                    \
        VARIADIC_MODE(flags);                                                            \
        int fd;                                                                          \
        if (open_answer(dirfd, path, flags, &fd))                                        \
            return fd;                                                                   \
        return NEXT(int, name, (int, const char *, int, ...))(dirfd, path, flags, mode); \
    }

#define DEFINE_OPEN_2(name)                                                \
    EXPORT(int, name, const char *path, int flags)                         \
    {                                                                      \
        int fd;                                                            \
        if (!needs_mode(flags) && open_answer(AT_FDCWD, path, flags, &fd)) \
            return fd;                                                     \
        return NEXT(int, name, (const char *, int))(path, flags);          \
    }

#define DEFINE_OPENAT_2(name)                                                 \
    EXPORT(int, name, int dirfd, const char *path, int flags)                 \
    {                                                                         \
        int fd;                                                               \
        if (!needs_mode(flags) && open_answer(dirfd, path, flags, &fd))       \
            return fd;                                                        \
        return NEXT(int, name, (int, const char *, int))(dirfd, path, flags); \
    }

LC_LIBC_OPEN(DEFINE_OPEN)
LC_LIBC_OPENAT(DEFINE_OPENAT)
LC_LIBC_OPEN_2(DEFINE_OPEN_2)
LC_LIBC_OPENAT_2(DEFINE_OPENAT_2)

#define DEFINE_CREAT(name)                                            \
    EXPORT(int, name, const char *path, unsigned mode)                \
    {                                                                 \
        lc_invalidate_before(AT_FDCWD, path, LC_CHANGE_CONTENT);      \
        return NEXT(int, name, (const char *, unsigned))(path, mode); \
    }

LC_LIBC_CREAT(DEFINE_CREAT)

/* A stream that is only read is opened by the C library on the staged file. */
static bool stream_answer(const char *path, const char *mode, struct lc_query *query)
{
    bool reads = mode && mode[0] == 'r';

    for (const char *m = mode; reads && *m && *m != ','; m++)
        reads = *m != '+';
    if (!reads) {
        lc_invalidate_before(AT_FDCWD, path, LC_CHANGE_CONTENT);
        return false;
    }
    lc_query_begin(query, AT_FDCWD, path, LC_QUERY_READ);
    if (query->verdict == LC_ABSENT || query->resolved) /* its path is in scratch->staged */
        return true;
    if (query->verdict == LC_KNOWN && query->what->kind != LC_KIND_FILE)
        lc_query_pass(query, LC_COUNT_PASS_DIRECTORY);
    if (query->verdict == LC_KNOWN && lc_query_staged_path(query) &&
        lc_is_file_of_size(query->scratch->staged, query->inode->size)) {
        lc_node_count_opened(query->node, query->inode->size);
        return true;
    }
    lc_query_end(query);
    return false;
}

/* Was the staged file removed between our look-up and the C library's open? Then the original is
 * opened. */
static bool staged_is_gone(const struct lc_query *query)
{
    return !query->resolved && lc_sys_access(query->scratch->staged, 4 /* R_OK */) != 0;
}

#define DEFINE_FOPEN(name)                                                                     \
    EXPORT(void *, name, const char *path, const char *mode)                                   \
    {                                                                                          \
        struct lc_query query;                                                                 \
        void *stream = NULL;                                                                   \
        if (!stream_answer(path, mode, &query))                                                \
            return NEXT(void *, name, (const char *, const char *))(path, mode);               \
        if (query.verdict == LC_ABSENT)                                                        \
            lc_set_errno(query.error);                                                         \
        else {                                                                                 \
            stream =                                                                           \
                NEXT(void *, name, (const char *, const char *))(query.scratch->staged, mode); \
            if (!stream && staged_is_gone(&query)) {                                           \
                lc_query_end(&query);                                                          \
                return NEXT(void *, name, (const char *, const char *))(path, mode);           \
            }                                                                                  \
        }                                                                                      \
        lc_query_end(&query);                                                                  \
        return stream;                                                                         \
    }

#define DEFINE_FREOPEN(name)                                                                     \
    EXPORT(void *, name, const char *path, const char *mode, void *stream)                       \
    {                                                                                            \
        struct lc_query query;                                                                   \
        if (!path || !stream_answer(path, mode, &query))                                         \
            return NEXT(void *, name, (const char *, const char *, void *))(path, mode, stream); \
        if (query.verdict == LC_KNOWN)                                                           \
            path = query.scratch->staged;                                                        \
        void *result =                                                                           \
            NEXT(void *, name, (const char *, const char *, void *))(path, mode, stream);        \
        lc_query_end(&query);                                                                    \
        return result;                                                                           \
    }

LC_LIBC_FOPEN(DEFINE_FOPEN)
LC_LIBC_FREOPEN(DEFINE_FREOPEN)
