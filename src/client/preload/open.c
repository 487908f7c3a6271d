/* SPDX-License-Identifier: MIT */
/* open.c - files opened: open, openat, creat, fopen, freopen and their spellings */
#include <asm/stat.h>
#include <linux/fcntl.h>

#include "client/preload/libc_names.h"
#include "client/preload/ask.h"
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

/* A staged file, or a negative errno; one that somebody has cut is none. */
static long open_staged(const struct lc_ask *ask, int flags)
{
    struct stat st;
    long fd = lc_sys_open(ask->room->staged, flags);

    if (fd < 0 ||
        (LC_SYS3(__NR_fstat, fd, &st, 0) == 0 && (uint64_t)st.st_size == ask->inode->size))
        return fd;
    lc_sys_close((int)fd);
    return -5; /* EIO */
}

/* True: answered, *fd is the result or -1 with errno set. */
static bool answer_open(int dirfd, const char *path, int flags, int *fd)
{
    struct lc_ask ask;
    bool is_done = false;

    if (may_write(flags)) {
        lc_note_change(dirfd, path, LC_CHANGE_CONTENT);
        return false;
    }
    if (flags & (O_PATH | O_NOATIME)) /* the second is refused to others than the owner */
        return false;
    lc_ask_begin(&ask, dirfd, path, flags & O_NOFOLLOW ? LC_ASK_NOFOLLOW : 0);
    if (ask.verdict == LC_ABSENT) {
        lc_set_errno(ask.error);
        *fd = -1;
        is_done = true;
    } else if (ask.verdict == LC_KNOWN && ask.what->kind != LC_KIND_FILE) {
        lc_ask_pass(&ask, LC_COUNT_PASS_DIRECTORY);
    } else if (ask.verdict == LC_KNOWN && (flags & O_DIRECTORY)) {
        lc_set_errno(20 /* ENOTDIR */);
        *fd = -1;
        is_done = true;
    } else if (ask.verdict == LC_KNOWN && lc_ask_staged(&ask)) {
        long got = open_staged(&ask, flags);
        if (got >= 0 || got == -24 /* EMFILE */ || got == -4 /* EINTR */) {
            lc_node_count_opened(ask.node, got >= 0 ? ask.inode->size : 0);
            *fd = (int)lc_return(got);
            is_done = true;
        } else {
            lc_ask_pass(&ask, LC_COUNT_PASS_NO_CONTENT);
        }
    } else if (ask.elsewhere) {
        *fd = (int)lc_return(lc_sys_open(ask.elsewhere, flags));
        is_done = true;
    }
    lc_ask_end(&ask);
    return is_done;
}

#define DEFINE_OPEN(name)                                                    \
    EXPORT(int, name, const char *path, int flags, ...)                      \
    {                                                                        \
        VARIADIC_MODE(flags);                                                \
        int fd;                                                              \
        if (answer_open(AT_FDCWD, path, flags, &fd))                         \
            return fd;                                                       \
        return NEXT(int, name, (const char *, int, ...))(path, flags, mode); \
    }

#define DEFINE_OPENAT(name)                                                              \
    EXPORT(int, name, int dirfd, const char *path, int flags, ...)                       \
    {                                                                                    \
        VARIADIC_MODE(flags);                                                            \
        int fd;                                                                          \
        if (answer_open(dirfd, path, flags, &fd))                                        \
            return fd;                                                                   \
        return NEXT(int, name, (int, const char *, int, ...))(dirfd, path, flags, mode); \
    }

#define DEFINE_OPEN_2(name)                                                \
    EXPORT(int, name, const char *path, int flags)                         \
    {                                                                      \
        int fd;                                                            \
        if (!needs_mode(flags) && answer_open(AT_FDCWD, path, flags, &fd)) \
            return fd;                                                     \
        return NEXT(int, name, (const char *, int))(path, flags);          \
    }

#define DEFINE_OPENAT_2(name)                                                 \
    EXPORT(int, name, int dirfd, const char *path, int flags)                 \
    {                                                                         \
        int fd;                                                               \
        if (!needs_mode(flags) && answer_open(dirfd, path, flags, &fd))       \
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
        lc_note_change(AT_FDCWD, path, LC_CHANGE_CONTENT);            \
        return NEXT(int, name, (const char *, unsigned))(path, mode); \
    }

LC_LIBC_CREAT(DEFINE_CREAT)

/* A stream that only reads can be opened on the staged file; the C library does the rest. */
static bool answer_stream(const char *path, const char *mode, struct lc_ask *ask)
{
    bool reads = mode && mode[0] == 'r';

    for (const char *m = mode; reads && *m && *m != ','; m++)
        reads = *m != '+';
    if (!reads) {
        lc_note_change(AT_FDCWD, path, LC_CHANGE_CONTENT);
        return false;
    }
    lc_ask_begin(ask, AT_FDCWD, path, 0);
    if (ask->verdict == LC_ABSENT || ask->elsewhere) /* which stands in room->staged */
        return true;
    if (ask->verdict == LC_KNOWN && ask->what->kind != LC_KIND_FILE)
        lc_ask_pass(ask, LC_COUNT_PASS_DIRECTORY);
    if (ask->verdict == LC_KNOWN && lc_ask_staged(ask) &&
        lc_is_file_of_size(ask->room->staged, ask->inode->size)) {
        lc_node_count_opened(ask->node, ask->inode->size);
        return true;
    }
    lc_ask_end(ask);
    return false;
}

/* Was node memory taken away between our look and the C library's? Then the original counts. */
static bool is_gone(const struct lc_ask *ask)
{
    return !ask->elsewhere && lc_sys_access(ask->room->staged, 4 /* R_OK */) != 0;
}

#define DEFINE_FOPEN(name)                                                                     \
    EXPORT(void *, name, const char *path, const char *mode)                                   \
    {                                                                                          \
        struct lc_ask ask;                                                                     \
        void *stream = NULL;                                                                   \
        if (!answer_stream(path, mode, &ask))                                                  \
            return NEXT(void *, name, (const char *, const char *))(path, mode);               \
        if (ask.verdict == LC_ABSENT)                                                          \
            lc_set_errno(ask.error);                                                           \
        else {                                                                                 \
            stream = NEXT(void *, name, (const char *, const char *))(ask.room->staged, mode); \
            if (!stream && is_gone(&ask)) {                                                    \
                lc_ask_end(&ask);                                                              \
                return NEXT(void *, name, (const char *, const char *))(path, mode);           \
            }                                                                                  \
        }                                                                                      \
        lc_ask_end(&ask);                                                                      \
        return stream;                                                                         \
    }

#define DEFINE_FREOPEN(name)                                                                     \
    EXPORT(void *, name, const char *path, const char *mode, void *stream)                       \
    {                                                                                            \
        struct lc_ask ask;                                                                       \
        if (!path || !answer_stream(path, mode, &ask))                                           \
            return NEXT(void *, name, (const char *, const char *, void *))(path, mode, stream); \
        if (ask.verdict == LC_KNOWN)                                                             \
            path = ask.room->staged;                                                             \
        void *result =                                                                           \
            NEXT(void *, name, (const char *, const char *, void *))(path, mode, stream);        \
        lc_ask_end(&ask);                                                                        \
        return result;                                                                           \
    }

LC_LIBC_FOPEN(DEFINE_FOPEN)
LC_LIBC_FREOPEN(DEFINE_FREOPEN)
