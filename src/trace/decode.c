/* SPDX-License-Identifier: MIT */
/* decode.c - make an event from a stopped thread's registers and memory
 *
 * Nothing here accesses the traced file systems: names of descriptors and working directories come
 * from /proc, which gives them without a look-up. */
#include "trace/decode.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "util/path.h"
#include "util/syscalls.h"

#ifndef AT_EMPTY_PATH
#define AT_EMPTY_PATH 0x1000
#endif

/* Set once a chroot was seen: from then on the root of each process is read. */
static bool has_other_roots;

static ssize_t read_memory(pid_t tid, uint64_t from, void *to, size_t size)
{
    struct iovec local = {to, size};
    struct iovec remote = {(void *)(uintptr_t)from, size};

    return process_vm_readv(tid, &local, 1, &remote, 1, 0);
}

/* Read a NUL-terminated string from the thread's memory, page by page, since the next page may not
 * be mapped. */
static bool read_string(pid_t tid, uint64_t from, char *out, size_t size)
{
    enum { PAGE = 4096 };
    size_t n = 0;

    while (n < size - 1) {
        size_t chunk = PAGE - (size_t)((from + n) % PAGE);
        if (chunk > size - 1 - n)
            chunk = size - 1 - n;
        ssize_t got = read_memory(tid, from + n, out + n, chunk);
        if (got <= 0)
            return false;
        if (memchr(out + n, '\0', (size_t)got))
            return true;
        n += (size_t)got;
    }
    out[n] = '\0'; /* longer than any path: the kernel answers ENAMETOOLONG */
    return true;
}

/* Read the link /proc/TID/NAME: "cwd", "root", "fd/7". */
static bool read_proc_link(pid_t tid, const char *name, char *out, size_t size)
{
    char link[64];

    snprintf(link, sizeof(link), "/proc/%d/%s", (int)tid, name);
    ssize_t n = readlink(link, out, size - 1);
    if (n < 0)
        return false;
    out[n] = '\0';
    return true;
}

static bool read_fd_name(pid_t tid, int fd, char *out, size_t size)
{
    char name[24];

    snprintf(name, sizeof(name), "fd/%d", fd);
    return read_proc_link(tid, name, out, size);
}

/* The directory a relative path starts from. */
static bool read_base(pid_t tid, int dirfd, char *out, size_t size)
{
    if (dirfd == AT_FDCWD)
        return read_proc_link(tid, "cwd", out, size);
    return read_fd_name(tid, dirfd, out, size);
}

/* Skip leading "/" and "..": at the root, ".." stays at the root. */
static const char *skip_to_name(const char *path)
{
    for (;;) {
        while (*path == '/')
            path++;
        if (path[0] == '.' && path[1] == '.' && (path[2] == '/' || !path[2]))
            path += 2;
        else
            return path;
    }
}

/* 'given' as an absolute path, or unchanged if the directory is not known. */
static void make_absolute(pid_t tid, int dirfd, const char *given, char *out, size_t size)
{
    char base[PATH_MAX + 64] = "/";

    if (given[0] == '/') {
        if (has_other_roots)
            read_proc_link(tid, "root", base, sizeof(base));
        given = skip_to_name(given);
    } else if (!read_base(tid, dirfd, base, sizeof(base)) || base[0] != '/') {
        snprintf(out, size, "%s", given);
        return;
    }
    if (lc_path_resolve(out, size, base, given) < 0)
        snprintf(out, size, "%s", given);
}

static int dirfd_argument(const struct lc_tracee *t, int position)
{
    return position == LC_CALL_NONE ? AT_FDCWD : (int)t->args[position];
}

/* May the path be empty, meaning the descriptor itself? */
static bool may_lack_path(const struct lc_tracee *t)
{
    return t->call->number == SYS_utimensat || (t->flags & AT_EMPTY_PATH);
}

static void read_path(struct lc_tracee *t)
{
    const struct lc_call *call = t->call;
    struct lc_call_text *text = t->text;
    uint64_t at = t->args[call->path];
    int dirfd = dirfd_argument(t, call->dirfd);

    strcpy(text->path, "?");
    text->given[0] = '\0';
    t->has_given = at && read_string(t->tid, at, text->given, sizeof(text->given));
    if (!t->has_given && (at || !may_lack_path(t)))
        return;
    if (text->given[0] || call->dirfd == LC_CALL_NONE)
        make_absolute(t->tid, dirfd, text->given, text->path, sizeof(text->path));
    else
        read_base(t->tid, dirfd, text->path, sizeof(text->path));
}

/* Read the second path. symlink's target is plain text; in the other calls it is a path of the
 * caller. */
static void read_second(struct lc_tracee *t)
{
    const struct lc_call *call = t->call;
    struct lc_call_text *text = t->text;
    char given[PATH_MAX + 1];
    bool is_symlink = call->kind == LC_TRACE_CHANGE && strncmp(call->name, "symlink", 7) == 0;
    int position = is_symlink ? 0 : call->path2;

    if (position == LC_CALL_NONE || !t->args[position])
        return;
    t->has_second = read_string(t->tid, t->args[position], given, sizeof(given));
    if (!t->has_second)
        return;
    if (is_symlink || call->number == SYS_mount)
        snprintf(text->second, sizeof(text->second), "%s", given);
    else
        make_absolute(t->tid, dirfd_argument(t, call->dirfd2), given, text->second,
                      sizeof(text->second));
}

static void read_flags(struct lc_tracee *t)
{
    const struct lc_call *call = t->call;

    t->flags = call->flags == LC_CALL_NONE ? 0 : t->args[call->flags];
    if (call->number == SYS_openat2) /* the flags are the first field of struct open_how */
        read_memory(t->tid, t->args[2], &t->flags, sizeof(t->flags));
#ifdef SYS_creat
    if (call->number == SYS_creat)
        t->flags = O_CREAT | O_WRONLY | O_TRUNC;
#endif
}

bool lc_decode_is_stat_of_descriptor(pid_t tid, const struct lc_call *call, const uint64_t args[6])
{
    char first = 0;

    if (call->kind != LC_TRACE_STAT || call->path == LC_CALL_NONE || call->flags == LC_CALL_NONE ||
        !(args[call->flags] & AT_EMPTY_PATH))
        return false;
    return args[call->path] == 0 ||
           (read_memory(tid, args[call->path], &first, sizeof(first)) == 1 && !first);
}

bool lc_decode_entry(struct lc_tracee *t, const struct lc_call *call, const uint64_t args[6])
{
    if (call->kind == LC_TRACE_MMAP && (args[3] & MAP_ANONYMOUS))
        return false;
    t->call = call;
    memcpy(t->args, args, sizeof(t->args));
    t->has_given = t->has_second = false;
    t->text->path[0] = '\0';
    read_flags(t);
    if (call->path != LC_CALL_NONE)
        read_path(t);
    else if (call->fd != LC_CALL_NONE &&
             !read_fd_name(t->tid, (int)args[call->fd], t->text->path, sizeof(t->text->path)))
        strcpy(t->text->path, "?");
    read_second(t);
    return true;
}

static bool may_change_files(const struct lc_tracee *t)
{
    if (t->call->kind == LC_TRACE_OPEN)
        return (t->flags & O_ACCMODE) != O_RDONLY || (t->flags & (O_CREAT | O_TRUNC));
    return t->call->kind == LC_TRACE_CHANGE;
}

static uint64_t bytes_transferred(const struct lc_tracee *t, long result)
{
    if (result < 0 && result > -4096)
        return 0;
    if (t->call->kind == LC_TRACE_MMAP)
        return t->args[1];
    return t->call->kind == LC_TRACE_READ ? (uint64_t)result : 0;
}

void lc_decode_exit(struct lc_tracee *t, long result, struct lc_trace_event *event)
{
    struct lc_call_text *text = t->text;

    *event = (struct lc_trace_event){
        .tid = t->tid,
        .pid = t->pid,
        .parent = t->parent,
        .call = t->call->name,
        .kind = (enum lc_trace_kind)t->call->kind,
        .path = text->path,
        .given = t->has_given ? text->given : NULL,
        .second = t->has_second ? text->second : NULL,
        .result = result,
        .flags = t->flags,
        .bytes = bytes_transferred(t, result),
        .is_write = may_change_files(t),
    };
    if (t->call->kind == LC_TRACE_OPEN && result >= 0 &&
        read_fd_name(t->tid, (int)result, text->real, sizeof(text->real)) &&
        strcmp(text->real, text->path) != 0)
        event->real = text->real;
    else if (t->call->kind == LC_TRACE_EXEC && result == 0 &&
             read_proc_link(t->tid, "exe", text->real, sizeof(text->real)) &&
             strcmp(text->real, text->path) != 0)
        event->real = text->real;
    if (t->call->number == SYS_chroot && result == 0)
        has_other_roots = true;
    t->call = NULL;
}
