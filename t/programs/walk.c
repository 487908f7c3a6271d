/* SPDX-License-Identifier: MIT */
/* walk.c - every call that 'loadcast trace' claims to see, once succeeding and once failing where
 * that can be had, straight by system call so that no C library stands between; run in an empty,
 * writable working directory. Prints nothing. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/syscalls.h"

#ifndef AT_EMPTY_PATH
#define AT_EMPTY_PATH 0x1000
#endif

static char buffer[8192];
#define CALL(name, ...) syscall(SYS_##name, ##__VA_ARGS__)

static void walk_opens(void)
{
    uint64_t how[3] = {O_RDONLY, 0, 0};

    close((int)CALL(openat, AT_FDCWD, "file", O_CREAT | O_RDWR, 0644));
    CALL(openat, AT_FDCWD, "absent", O_RDONLY);
    CALL(openat, AT_FDCWD, NULL, O_RDONLY);
    CALL(openat, 999, "relative", O_RDONLY);
    close((int)CALL(openat2, AT_FDCWD, "file", how, sizeof(how)));
    CALL(openat2, AT_FDCWD, "absent", how, sizeof(how));
    CALL(open_by_handle_at, AT_FDCWD, buffer, O_RDONLY);
#ifdef SYS_open
    close((int)CALL(open, "file", O_RDONLY));
    CALL(open, "/absent/file", O_RDONLY);
    close((int)CALL(creat, "created", 0600));
    CALL(creat, "/absent/created", 0600);
#endif
}

static void walk_stats(int fd, int dir)
{
    static const char *const name[] = {"file", "absent", "/", ".", "../", "./file", "file/x", ""};

    for (size_t i = 0; i < sizeof(name) / sizeof(*name); i++) {
        CALL(newfstatat, AT_FDCWD, name[i], buffer, 0);
        CALL(newfstatat, dir, name[i], buffer, AT_SYMLINK_NOFOLLOW);
        CALL(statx, dir, name[i], 0, 0xfff, buffer);
        CALL(faccessat, dir, name[i], R_OK);
        CALL(faccessat2, dir, name[i], R_OK, 0);
        CALL(statfs, name[i], buffer);
#ifdef SYS_stat
        CALL(stat, name[i], buffer);
        CALL(lstat, name[i], buffer);
        CALL(access, name[i], F_OK);
#endif
    }
    CALL(newfstatat, fd, "", buffer, AT_EMPTY_PATH);
    CALL(fstat, fd, buffer);
    CALL(fstat, 999, buffer);
    CALL(fstatfs, fd, buffer);
}

static void walk_attributes(int fd)
{
    CALL(setxattr, "file", "user.x", "1", 1, 0);
    CALL(lsetxattr, "absent", "user.x", "1", 1, 0);
    CALL(fsetxattr, fd, "user.y", "1", 1, 0);
    CALL(getxattr, "file", "user.x", buffer, 10);
    CALL(lgetxattr, "file", "user.none", buffer, 10);
    CALL(fgetxattr, fd, "user.y", buffer, 10);
    CALL(listxattr, "file", buffer, 100);
    CALL(llistxattr, "absent", buffer, 100);
    CALL(flistxattr, fd, buffer, 100);
    CALL(removexattr, "file", "user.x");
    CALL(lremovexattr, "absent", "user.x");
    CALL(fremovexattr, fd, "user.y");
    CALL(name_to_handle_at, AT_FDCWD, "absent", buffer, buffer + 100, 0);
}

static void walk_data(int fd)
{
    struct iovec v = {buffer, 100};
    off_t at = 0;
    int other = open("copy", O_CREAT | O_RDWR, 0600);

    if (write(fd, "0123456789", 10) != 10)
        exit(1);
    lseek(fd, 0, SEEK_SET);
    CALL(read, fd, buffer, 4);
    CALL(read, 999, buffer, 4);
    CALL(pread64, fd, buffer, 100, 0);
    CALL(readv, fd, &v, 1);
    CALL(preadv, fd, &v, 1, 0, 0);
    CALL(preadv2, fd, &v, 1, 0, 0, 0);
    CALL(sendfile, other, fd, &at, 5);
    CALL(copy_file_range, fd, NULL, other, NULL, 5, 0);
    CALL(splice, fd, NULL, other, NULL, 5, 0);
    CALL(readahead, fd, 0L, 5L);
    mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
    mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, 999, 0);
    mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CALL(truncate, "file", 5);
    CALL(truncate, "absent", 5);
    CALL(ftruncate, fd, 3);
    CALL(fchmod, fd, 0644);
    CALL(fchown, fd, -1, -1);
    close(other);
}

static void walk_names(void)
{
    CALL(mkdirat, AT_FDCWD, "dir", 0755);
    CALL(mkdirat, AT_FDCWD, "dir", 0755);
    CALL(mknodat, AT_FDCWD, "fifo", S_IFIFO | 0600, 0);
    CALL(symlinkat, "file", AT_FDCWD, "dir/link");
    CALL(readlinkat, AT_FDCWD, "dir/link", buffer, 100);
    CALL(readlinkat, AT_FDCWD, "file", buffer, 100);
    CALL(linkat, AT_FDCWD, "file", AT_FDCWD, "dir/hard", 0);
    CALL(renameat2, AT_FDCWD, "dir/hard", AT_FDCWD, "dir/new", 0);
    CALL(fchmodat, AT_FDCWD, "file", 0600);
    CALL(fchmodat2, AT_FDCWD, "file", 0600, 0);
    CALL(fchownat, AT_FDCWD, "absent", -1, -1, 0);
    CALL(utimensat, AT_FDCWD, "file", NULL, 0);
    CALL(unlinkat, AT_FDCWD, "fifo", 0);
#ifdef SYS_renameat
    CALL(renameat, AT_FDCWD, "dir/new", AT_FDCWD, "dir/newer");
#endif
#ifdef SYS_mkdir
    CALL(mkdir, "dir2", 0755);
    CALL(mknod, "fifo2", S_IFIFO | 0600, 0);
    CALL(symlink, "absent", "link2");
    CALL(readlink, "link2", buffer, 100);
    CALL(link, "file", "hard2");
    CALL(rename, "hard2", "hard3");
    CALL(rename, "absent", "hard3");
    CALL(chmod, "file", 0644);
    CALL(chown, "absent", -1, -1);
    CALL(lchown, "link2", -1, -1);
    CALL(utime, "file", NULL);
    CALL(utimes, "absent", NULL);
    CALL(futimesat, AT_FDCWD, "file", NULL);
    CALL(unlink, "fifo2");
    CALL(rmdir, "dir2");
    CALL(rmdir, "absent");
#endif
}

static void walk_directories(void)
{
    int dir = open("dir", O_RDONLY | O_DIRECTORY), in = inotify_init1(0);

    CALL(getdents64, dir, buffer, sizeof(buffer));
    CALL(getdents64, 999, buffer, sizeof(buffer));
#ifdef SYS_getdents
    CALL(getdents, dir, buffer, sizeof(buffer));
#endif
    CALL(inotify_add_watch, in, "dir", IN_CREATE);
    CALL(inotify_add_watch, in, "absent", IN_CREATE);
    CALL(chdir, "dir");
    CALL(newfstatat, AT_FDCWD, "../file", buffer, 0);
    CALL(chdir, "absent");
    CALL(fchdir, dir);
    CALL(chdir, "..");
    CALL(chroot, "/absent");
    CALL(umount2, "/absent", 0);
    CALL(open_tree, AT_FDCWD, "/absent", 0);
    CALL(move_mount, AT_FDCWD, "/absent", AT_FDCWD, "/absent/too", 0);
    CALL(mount, "none", "/absent", "tmpfs", 0, NULL);
    close(dir);
    close(in);
}

static void walk_programs(void)
{
    char *argv[] = {"true", NULL}, *envp[] = {"A=1", NULL};
    int status;

    CALL(execve, "/absent/program", argv, envp);
    CALL(execveat, AT_FDCWD, "/absent/program", argv, envp, 0);
    if (fork() == 0) {
        CALL(execve, "/bin/true", argv, envp);
        _exit(1);
    }
    wait(&status);
    if (vfork() == 0) {
        CALL(execveat, AT_FDCWD, "/bin/true", argv, envp, 0);
        _exit(1);
    }
    wait(&status);
}

int main(void)
{
    walk_opens();
    int fd = open("file", O_RDWR), dir = open(".", O_RDONLY | O_DIRECTORY);
    walk_stats(fd, dir);
    walk_attributes(fd);
    walk_data(fd);
    walk_names();
    walk_directories();
    walk_programs();
    return 0;
}
