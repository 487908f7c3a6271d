/* SPDX-License-Identifier: MIT */
/* calls.c - the table of file-system calls
 *
 * Left out on purpose: write() and its family (a program's output is not part of its loading),
 * close(), lseek() and calls that never reach a file system. The numbers are those of the
 * architecture we are built for; aarch64 has only the ...at() variants. */
#include "trace/calls.h"

#include "util/syscalls.h"

#define NO LC_CALL_NONE
/* Macros for table entries: a path; a directory and a path; a descriptor; two paths; two
 * directories and two paths. */
#define PATH(call, kind, path, flags)                        \
    {                                                        \
#call, SYS_##call, kind, NO, path, NO, NO, NO, flags \
    }
#define AT(call, kind, dirfd, flags)                                 \
    {                                                                \
#call, SYS_##call, kind, dirfd, dirfd + 1, NO, NO, NO, flags \
    }
#define FD(call, kind, fd, flags)                          \
    {                                                      \
#call, SYS_##call, kind, NO, NO, NO, NO, fd, flags \
    }
#define TWO(call, kind, one, two)                         \
    {                                                     \
#call, SYS_##call, kind, NO, one, NO, two, NO, NO \
    }
#define AT_AT(call, kind, flags)                       \
    {                                                  \
#call, SYS_##call, kind, 0, 1, 2, 3, NO, flags \
    }

static const struct lc_call table[] = {
    /* Frequent calls first: the filter compares in this order. */
    AT(openat, LC_TRACE_OPEN, 0, 2),
    AT(newfstatat, LC_TRACE_STAT, 0, 3),
    FD(read, LC_TRACE_READ, 0, NO),
    FD(mmap, LC_TRACE_MMAP, 4, 3),
    FD(fstat, LC_TRACE_STAT, 0, NO),
    FD(getdents64, LC_TRACE_READDIR, 0, NO),
    FD(pread64, LC_TRACE_READ, 0, NO),
    AT(statx, LC_TRACE_STAT, 0, 2),
    AT(readlinkat, LC_TRACE_READLINK, 0, NO),
    AT(faccessat, LC_TRACE_ACCESS, 0, NO),
    AT(faccessat2, LC_TRACE_ACCESS, 0, 3),
    PATH(execve, LC_TRACE_EXEC, 0, NO),
    AT(execveat, LC_TRACE_EXEC, 0, 4),
    AT(openat2, LC_TRACE_OPEN, 0, NO),
    FD(open_by_handle_at, LC_TRACE_OPEN, 0, 2),
    PATH(chdir, LC_TRACE_CHDIR, 0, NO),
    FD(fchdir, LC_TRACE_CHDIR, 0, NO),
    PATH(chroot, LC_TRACE_CHDIR, 0, NO),
    PATH(statfs, LC_TRACE_STAT, 0, NO),
    FD(fstatfs, LC_TRACE_STAT, 0, NO),
    PATH(getxattr, LC_TRACE_STAT, 0, NO),
    PATH(lgetxattr, LC_TRACE_STAT, 0, NO),
    FD(fgetxattr, LC_TRACE_STAT, 0, NO),
    PATH(listxattr, LC_TRACE_STAT, 0, NO),
    PATH(llistxattr, LC_TRACE_STAT, 0, NO),
    FD(flistxattr, LC_TRACE_STAT, 0, NO),
    AT(name_to_handle_at, LC_TRACE_STAT, 0, 4),
    FD(readv, LC_TRACE_READ, 0, NO),
    FD(preadv, LC_TRACE_READ, 0, NO),
    FD(preadv2, LC_TRACE_READ, 0, NO),
    FD(sendfile, LC_TRACE_READ, 1, NO),
    FD(copy_file_range, LC_TRACE_READ, 0, NO),
    FD(splice, LC_TRACE_READ, 0, NO),
    FD(readahead, LC_TRACE_READ, 0, NO),
    AT(mkdirat, LC_TRACE_CHANGE, 0, NO),
    AT(mknodat, LC_TRACE_CHANGE, 0, NO),
    AT(unlinkat, LC_TRACE_CHANGE, 0, 2),
    AT_AT(renameat2, LC_TRACE_CHANGE, 4),
    AT_AT(linkat, LC_TRACE_CHANGE, 4),
    AT(symlinkat, LC_TRACE_CHANGE, 1, NO),
    AT(fchmodat, LC_TRACE_CHANGE, 0, NO),
    AT(fchmodat2, LC_TRACE_CHANGE, 0, 3),
    FD(fchmod, LC_TRACE_CHANGE, 0, NO),
    AT(fchownat, LC_TRACE_CHANGE, 0, 4),
    FD(fchown, LC_TRACE_CHANGE, 0, NO),
    AT(utimensat, LC_TRACE_CHANGE, 0, 3),
    PATH(truncate, LC_TRACE_CHANGE, 0, NO),
    FD(ftruncate, LC_TRACE_CHANGE, 0, NO),
    PATH(setxattr, LC_TRACE_CHANGE, 0, NO),
    PATH(lsetxattr, LC_TRACE_CHANGE, 0, NO),
    FD(fsetxattr, LC_TRACE_CHANGE, 0, NO),
    PATH(removexattr, LC_TRACE_CHANGE, 0, NO),
    PATH(lremovexattr, LC_TRACE_CHANGE, 0, NO),
    FD(fremovexattr, LC_TRACE_CHANGE, 0, NO),
    TWO(mount, LC_TRACE_OTHER, 1, 0),
    PATH(umount2, LC_TRACE_OTHER, 0, 1),
    AT(open_tree, LC_TRACE_OTHER, 0, 2),
    AT_AT(move_mount, LC_TRACE_OTHER, 4),
    PATH(inotify_add_watch, LC_TRACE_OTHER, 1, NO),
    /* Not file-system calls, but the tracer must see them; never reported. */
    {"io_uring_setup", SYS_io_uring_setup, LC_TRACE_SILENT, NO, NO, NO, NO, NO, NO},
    {"sched_getaffinity", SYS_sched_getaffinity, LC_TRACE_SILENT, NO, NO, NO, NO, NO, NO},
    {"sched_setaffinity", SYS_sched_setaffinity, LC_TRACE_SILENT, NO, NO, NO, NO, NO, NO},
#ifdef SYS_renameat
    AT_AT(renameat, LC_TRACE_CHANGE, NO),
#endif
#ifdef SYS_open /* older variants that only x86-64 has */
    PATH(open, LC_TRACE_OPEN, 0, 1),
    PATH(creat, LC_TRACE_OPEN, 0, NO),
    PATH(stat, LC_TRACE_STAT, 0, NO),
    PATH(lstat, LC_TRACE_STAT, 0, NO),
    PATH(access, LC_TRACE_ACCESS, 0, NO),
    PATH(readlink, LC_TRACE_READLINK, 0, NO),
    FD(getdents, LC_TRACE_READDIR, 0, NO),
    PATH(mkdir, LC_TRACE_CHANGE, 0, NO),
    PATH(mknod, LC_TRACE_CHANGE, 0, NO),
    PATH(rmdir, LC_TRACE_CHANGE, 0, NO),
    PATH(unlink, LC_TRACE_CHANGE, 0, NO),
    TWO(rename, LC_TRACE_CHANGE, 0, 1),
    TWO(link, LC_TRACE_CHANGE, 0, 1),
    PATH(symlink, LC_TRACE_CHANGE, 1, NO),
    PATH(chmod, LC_TRACE_CHANGE, 0, NO),
    PATH(chown, LC_TRACE_CHANGE, 0, NO),
    PATH(lchown, LC_TRACE_CHANGE, 0, NO),
    PATH(utime, LC_TRACE_CHANGE, 0, NO),
    PATH(utimes, LC_TRACE_CHANGE, 0, NO),
    AT(futimesat, LC_TRACE_CHANGE, 0, NO),
#endif
};

enum { COUNT = sizeof(table) / sizeof(*table), HIGHEST = 512 };
_Static_assert(sizeof(table) / sizeof(*table) < LC_CALLS_MOST,
               "the filter's jumps reach no further");

const struct lc_call *lc_call_table(size_t *count)
{
    *count = COUNT;
    return table;
}

const struct lc_call *lc_call_find(long number)
{
    static unsigned char index[HIGHEST]; /* position in the table + 1; 0: not in it */

    if (!index[table[0].number])
        for (size_t i = 0; i < COUNT; i++)
            index[table[i].number] = (unsigned char)(i + 1);
    if (number < 0 || number >= HIGHEST || !index[number])
        return NULL;
    return &table[index[number] - 1];
}

bool lc_call_tells_names(const struct lc_call *call)
{
    return !lc_trace_is_data((enum lc_trace_kind)call->kind) && call->number != SYS_fstat &&
           call->number != SYS_fstatfs;
}

const char *lc_trace_kind_name(enum lc_trace_kind kind)
{
    static const char *const name[LC_TRACE_KINDS] = {
        "open",  "stat",   "access", "readlink", "readdir", "exec",
        "chdir", "change", "other",  "read",     "mmap",
    };

    return kind < LC_TRACE_KINDS ? name[kind] : "silent";
}
