/* SPDX-License-Identifier: MIT */
/* fs-write-check.c - does a directory behave as POSIX says when it is written to?
 *
 * fs-write-check --list            the names of the checks
 * fs-write-check DIR NAME          run one, in a new directory below DIR
 *
 * Status 0: holds. 1: does not; the line that failed is on stderr. 77: cannot be said here. Run on
 * a local disk first: what does not hold there is no finding. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#define CHECK(what)                                                                       \
    do {                                                                                  \
        if (!(what)) {                                                                    \
            fprintf(stderr, "%s:%d: not so: %s (errno: %s)\n", __func__, __LINE__, #what, \
                    strerror(errno));                                                     \
            exit(1);                                                                      \
        }                                                                                 \
    } while (0)
/* The call fails with exactly this errno. */
#define FAILS(error, call)                     \
    do {                                       \
        errno = 0;                             \
        CHECK((call) < 0 && errno == (error)); \
    } while (0)

static void put(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

    CHECK(fd >= 0);
    CHECK(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    CHECK(close(fd) == 0);
}

static bool holds(const char *path, const char *text)
{
    char buf[256] = "";
    int fd = open(path, O_RDONLY);
    ssize_t n = fd < 0 ? -1 : read(fd, buf, sizeof(buf) - 1);

    if (fd >= 0)
        close(fd);
    return n == (ssize_t)strlen(text) && strcmp(buf, text) == 0;
}

static struct stat stat_of(const char *path)
{
    struct stat st;

    CHECK(lstat(path, &st) == 0);
    return st;
}

/* Run 'child' in a process of its own; its status must be 0. */
static void in_child(void (*child)(void))
{
    int status;
    pid_t pid = fork();

    CHECK(pid >= 0);
    if (pid == 0) {
        child();
        _exit(0);
    }
    CHECK(waitpid(pid, &status, 0) == pid);
    CHECK(status == 0);
}

static void create(void)
{
    int fd = open("a", O_WRONLY | O_CREAT | O_EXCL, 0640);

    CHECK(fd >= 0);
    CHECK(write(fd, "text", 4) == 4);
    close(fd);
    CHECK(holds("a", "text"));
    CHECK((stat_of("a").st_mode & 07777) == 0640);
    CHECK(stat_of("a").st_uid == geteuid());
    FAILS(EEXIST, open("a", O_WRONLY | O_CREAT | O_EXCL, 0640));
    FAILS(ENOENT, open("absent/a", O_WRONLY | O_CREAT, 0640));
    FAILS(ENOTDIR, open("a/b", O_WRONLY | O_CREAT, 0640));
    FAILS(EISDIR, open(".", O_WRONLY));
}

static void create_applies_umask(void)
{
    umask(027);
    close(open("a", O_WRONLY | O_CREAT, 0666));
    CHECK((stat_of("a").st_mode & 07777) == 0640);
    CHECK(mkdir("d", 0777) == 0);
    CHECK((stat_of("d").st_mode & 0777) == 0750);
    umask(0);
    close(open("b", O_WRONLY | O_CREAT, 0666));
    CHECK((stat_of("b").st_mode & 07777) == 0666);
}

static void directories(void)
{
    CHECK(mkdir("d", 0755) == 0);
    FAILS(EEXIST, mkdir("d", 0755));
    FAILS(ENOENT, mkdir("absent/d", 0755));
    CHECK(mkdir("d/e", 0755) == 0);
    FAILS(ENOTEMPTY, rmdir("d"));
    put("d/f", "x");
    FAILS(ENOTDIR, rmdir("d/f"));
    CHECK(unlink("d/f") == 0);
    CHECK(rmdir("d/e") == 0);
    CHECK(rmdir("d") == 0);
    FAILS(ENOENT, rmdir("d"));
    FAILS(EINVAL, rmdir("."));
}

static void unlinking(void)
{
    put("a", "x");
    CHECK(unlink("a") == 0);
    FAILS(ENOENT, unlink("a"));
    CHECK(mkdir("d", 0755) == 0);
    CHECK(unlink("d") < 0 && (errno == EISDIR || errno == EPERM));
}

static void unlinked_but_open(void)
{
    struct stat st;
    char buf[8] = "";
    int fd;

    put("a", "old");
    fd = open("a", O_RDWR);
    CHECK(unlink("a") == 0);
    CHECK(fstat(fd, &st) == 0);
    CHECK(st.st_nlink == 0 && st.st_size == 3);
    CHECK(pread(fd, buf, 3, 0) == 3 && strcmp(buf, "old") == 0);
    CHECK(pwrite(fd, "newer", 5, 0) == 5);
    CHECK(fstat(fd, &st) == 0 && st.st_size == 5);
    CHECK(ftruncate(fd, 1) == 0);
    CHECK(fchmod(fd, 0600) == 0);
    put("a", "another");
    CHECK(fstat(fd, &st) == 0 && st.st_size == 1);
    close(fd);
    CHECK(holds("a", "another"));
}

static void removed_working_directory(void)
{
    struct stat st;

    CHECK(mkdir("d", 0755) == 0 && chdir("d") == 0);
    CHECK(rmdir("../d") == 0);
    CHECK(stat(".", &st) == 0);
    FAILS(ENOENT, open("f", O_WRONLY | O_CREAT, 0644));
}

static void hard_links(void)
{
    put("a", "x");
    CHECK(link("a", "b") == 0);
    CHECK(stat_of("a").st_nlink == 2 && stat_of("a").st_ino == stat_of("b").st_ino);
    FAILS(EEXIST, link("a", "b"));
    FAILS(ENOENT, link("absent", "c"));
    put("b", "changed");
    CHECK(holds("a", "changed"));
    CHECK(unlink("a") == 0);
    CHECK(holds("b", "changed") && stat_of("b").st_nlink == 1);
    CHECK(link("b", "a") == 0 && unlink("b") == 0 && holds("a", "changed"));
    CHECK(mkdir("d", 0755) == 0);
    CHECK(link("d", "e") < 0);
    CHECK(symlink("a", "s") == 0 && link("s", "t") == 0);
    CHECK(S_ISLNK(stat_of("t").st_mode) && stat_of("t").st_ino == stat_of("s").st_ino);
}

static void many_hard_links(void)
{
    char name[16];

    put("f0", "x");
    for (int i = 1; i < 40; i++) {
        snprintf(name, sizeof(name), "f%d", i);
        CHECK(link("f0", name) == 0);
    }
    CHECK(stat_of("f7").st_nlink == 40);
    for (int i = 0; i < 39; i++) {
        snprintf(name, sizeof(name), "f%d", i);
        CHECK(unlink(name) == 0);
        CHECK(holds("f39", "x"));
    }
    CHECK(stat_of("f39").st_nlink == 1);
}

static void symbolic_links(void)
{
    char long_target[2048], buf[4096];

    put("a", "x");
    CHECK(symlink("a", "s") == 0 && holds("s", "x"));
    CHECK(readlink("s", buf, sizeof(buf)) == 1 && buf[0] == 'a');
    CHECK(stat_of("s").st_size == 1);
    FAILS(EEXIST, symlink("b", "s"));
    CHECK(symlink("absent", "dangling") == 0);
    FAILS(ENOENT, open("dangling", O_RDONLY));
    CHECK(symlink("loop", "loop") == 0);
    FAILS(ELOOP, open("loop", O_RDONLY));
    FAILS(ELOOP, open("s", O_RDONLY | O_NOFOLLOW));
    memset(long_target, 'l', sizeof(long_target) - 1);
    long_target[sizeof(long_target) - 1] = '\0';
    CHECK(symlink(long_target, "long") == 0);
    CHECK(readlink("long", buf, sizeof(buf)) == 2047 && memcmp(buf, long_target, 2047) == 0);
}

static void renaming_files(void)
{
    put("a", "A");
    ino_t ino = stat_of("a").st_ino;
    CHECK(rename("a", "b") == 0 && holds("b", "A") && stat_of("b").st_ino == ino);
    FAILS(ENOENT, rename("a", "c"));
    put("c", "C");
    CHECK(rename("b", "c") == 0 && holds("c", "A"));
    CHECK(mkdir("d", 0755) == 0);
    FAILS(EISDIR, rename("c", "d"));
    CHECK(rename("c", "d/c") == 0 && holds("d/c", "A"));
    CHECK(link("d/c", "e") == 0);
    CHECK(rename("e", "d/c") == 0); /* two names of one file: nothing happens */
    CHECK(stat_of("e").st_nlink == 2 && holds("d/c", "A"));
}

static void renaming_directories(void)
{
    CHECK(mkdir("d", 0755) == 0 && mkdir("d/e", 0755) == 0 && mkdir("empty", 0755) == 0);
    put("d/f", "F");
    FAILS(EINVAL, rename("d", "d/e/d"));
    put("file", "x");
    FAILS(ENOTDIR, rename("d", "file"));
    FAILS(ENOTEMPTY, rename("empty", "d"));
    int fd = open("d/f", O_RDONLY);
    CHECK(rename("d", "empty") == 0);
    CHECK(holds("empty/f", "F"));
    char c;
    CHECK(read(fd, &c, 1) == 1 && c == 'F');
    close(fd);
    CHECK(mkdir("empty/e/g", 0755) == 0 && rename("empty/e/g", "g") == 0);
    CHECK(S_ISDIR(stat_of("g").st_mode));
}

static void renaming_with_flags(void)
{
    put("a", "A");
    put("b", "B");
    FAILS(EEXIST, renameat2(AT_FDCWD, "a", AT_FDCWD, "b", RENAME_NOREPLACE));
    CHECK(renameat2(AT_FDCWD, "a", AT_FDCWD, "c", RENAME_NOREPLACE) == 0);
    CHECK(renameat2(AT_FDCWD, "b", AT_FDCWD, "c", RENAME_EXCHANGE) == 0);
    CHECK(holds("b", "A") && holds("c", "B"));
    CHECK(mkdir("d", 0755) == 0);
    CHECK(renameat2(AT_FDCWD, "d", AT_FDCWD, "b", RENAME_EXCHANGE) == 0);
    CHECK(holds("d", "A") && S_ISDIR(stat_of("b").st_mode));
    put("b/x", "X");
    CHECK(holds("b/x", "X"));
}

static void replaced_but_open(void)
{
    char c;
    struct stat st;

    put("a", "A");
    put("b", "B");
    int fd = open("b", O_RDONLY);
    CHECK(rename("a", "b") == 0);
    CHECK(fstat(fd, &st) == 0 && st.st_nlink == 0);
    CHECK(read(fd, &c, 1) == 1 && c == 'B');
    CHECK(holds("b", "A"));
    close(fd);
}

static void truncating(void)
{
    char buf[16];

    put("a", "0123456789");
    CHECK(truncate("a", 4) == 0 && holds("a", "0123"));
    CHECK(truncate("a", 8) == 0 && stat_of("a").st_size == 8);
    int fd = open("a", O_RDWR);
    CHECK(read(fd, buf, sizeof(buf)) == 8 && memcmp(buf, "0123\0\0\0\0", 8) == 0);
    CHECK(ftruncate(fd, 2) == 0 && stat_of("a").st_size == 2);
    close(fd);
    fd = open("a", O_RDONLY);
    CHECK(ftruncate(fd, 0) < 0);
    close(fd);
    close(open("a", O_WRONLY | O_TRUNC));
    CHECK(stat_of("a").st_size == 0);
    FAILS(ENOENT, truncate("absent", 0));
    CHECK(mkdir("d", 0755) == 0);
    FAILS(EISDIR, truncate("d", 0));
}

static void append_lines(void)
{
    int fd = open("log", O_WRONLY | O_CREAT | O_APPEND, 0644);

    CHECK(fd >= 0);
    for (int i = 0; i < 100; i++)
        CHECK(write(fd, "0123456\n", 8) == 8);
    close(fd);
}

static void appending(void)
{
    pid_t pid[4];

    put("log", "");
    int one = open("log", O_WRONLY | O_APPEND), two = open("log", O_WRONLY | O_APPEND);
    CHECK(write(one, "1", 1) == 1 && write(two, "2", 1) == 1 && write(one, "3", 1) == 1);
    CHECK(holds("log", "123"));
    CHECK(ftruncate(one, 0) == 0);
    for (int i = 0; i < 4; i++)
        if ((pid[i] = fork()) == 0) {
            append_lines();
            _exit(0);
        }
    for (int i = 0; i < 4; i++)
        waitpid(pid[i], NULL, 0);
    CHECK(stat_of("log").st_size == 4 * 100 * 8);
}

static void modes_and_owners(void)
{
    put("a", "x");
    CHECK(chmod("a", 04755) == 0 && (stat_of("a").st_mode & 07777) == 04755);
    CHECK(chmod("a", 0) == 0 && (stat_of("a").st_mode & 07777) == 0);
    int fd = geteuid() == 0 ? open("a", O_RDONLY) : -1;
    if (fd >= 0) {
        CHECK(fchmod(fd, 0604) == 0 && (stat_of("a").st_mode & 07777) == 0604);
        close(fd);
    }
    CHECK(mkdir("d", 0755) == 0);
    CHECK(chmod("d", 01777) == 0 && (stat_of("d").st_mode & 07777) == 01777);
    CHECK(chown("a", geteuid(), getegid()) == 0);
    CHECK(symlink("a", "s") == 0 && lchown("s", geteuid(), getegid()) == 0);
    FAILS(ENOENT, chmod("absent", 0600));
    if (geteuid() == 0) {
        CHECK(chown("a", 12, 34) == 0);
        CHECK(stat_of("a").st_uid == 12 && stat_of("a").st_gid == 34);
        CHECK(lchown("s", 56, 78) == 0 && stat_of("s").st_uid == 56);
        CHECK(stat_of("a").st_uid == 12);
    }
}

static void writing_drops_set_id_bits(void)
{
    put("a", "x");
    CHECK(chmod("a", 06777) == 0 && chmod(".", 0777) == 0);
    if (geteuid() == 0 && fork() == 0) {
        CHECK(setgid(65534) == 0 && setuid(65534) == 0);
        int fd = open("a", O_WRONLY);
        CHECK(fd >= 0 && write(fd, "y", 1) == 1);
        _exit(0);
    }
    if (geteuid() != 0)
        exit(77);
    int status;
    CHECK(wait(&status) > 0 && status == 0);
    CHECK((stat_of("a").st_mode & 06000) == 0);
}

static void new_files_belong_to_who_makes_them(void)
{
    int status;

    if (geteuid() != 0)
        exit(77);
    CHECK(chmod(".", 0777) == 0);
    if (fork() == 0) {
        CHECK(setgid(65534) == 0 && setuid(65534) == 0);
        put("f", "x");
        CHECK(mkdir("d", 0755) == 0 && symlink("f", "s") == 0 && mkfifo("p", 0644) == 0);
        FAILS(EACCES, open("../..", O_WRONLY | O_TMPFILE, 0600));
        _exit(0);
    }
    CHECK(wait(&status) > 0 && status == 0);
    CHECK(stat_of("f").st_uid == 65534 && stat_of("f").st_gid == 65534);
    CHECK(stat_of("d").st_uid == 65534 && stat_of("s").st_uid == 65534);
    CHECK(stat_of("p").st_uid == 65534);
}

static void permissions_are_enforced(void)
{
    int status;

    put("secret", "x");
    CHECK(chmod("secret", 0600) == 0 && mkdir("d", 0755) == 0 && chmod(".", 0755) == 0);
    if (geteuid() != 0)
        exit(77);
    if (fork() == 0) {
        CHECK(setgid(65534) == 0 && setuid(65534) == 0);
        FAILS(EACCES, open("secret", O_RDONLY));
        FAILS(EACCES, open("d/new", O_WRONLY | O_CREAT, 0644));
        FAILS(EACCES, unlink("secret"));
        FAILS(EACCES, access("secret", R_OK));
        FAILS(EPERM, chmod("secret", 0777));
        FAILS(EPERM, chown("secret", 65534, 65534));
        _exit(0);
    }
    CHECK(wait(&status) > 0 && status == 0);
}

static void times(void)
{
    const struct timespec set[2] = {{1000000000, 123456789}, {1200000000, 987654321}};
    const struct timespec omit[2] = {{0, UTIME_OMIT}, {0, UTIME_NOW}};
    struct stat st;

    put("a", "x");
    CHECK(utimensat(AT_FDCWD, "a", set, 0) == 0);
    st = stat_of("a");
    CHECK(st.st_atim.tv_sec == 1000000000 && st.st_mtim.tv_nsec == 987654321);
    CHECK(utimensat(AT_FDCWD, "a", omit, 0) == 0);
    st = stat_of("a");
    CHECK(st.st_atim.tv_sec == 1000000000 && llabs((long long)(st.st_mtime - time(NULL))) < 5);
    CHECK(symlink("a", "s") == 0);
    CHECK(utimensat(AT_FDCWD, "s", set, AT_SYMLINK_NOFOLLOW) == 0);
    CHECK(stat_of("s").st_mtim.tv_sec == 1200000000);
    CHECK(stat_of("a").st_mtim.tv_sec != 1200000000);
    CHECK(utimensat(AT_FDCWD, "s", set, 0) == 0);
    CHECK(stat_of("a").st_mtim.tv_sec == 1200000000);
}

static void beyond_four_gigabytes(void)
{
    const off_t far = ((off_t)5 << 30) + 12345;
    char buf[8];
    int fd = open("big", O_RDWR | O_CREAT, 0644);

    CHECK(pwrite(fd, "far", 3, far) == 3);
    CHECK(stat_of("big").st_size == far + 3);
    CHECK(pread(fd, buf, 8, far) == 3 && memcmp(buf, "far", 3) == 0);
    CHECK(pread(fd, buf, 4, far - 4) == 4 && memcmp(buf, "\0\0\0\0", 4) == 0);
    CHECK(stat_of("big").st_blocks < 1000);
    off_t data = lseek(fd, 4096, SEEK_DATA);
    CHECK(data > 4096 && data <= far);
    CHECK(lseek(fd, 0, SEEK_HOLE) == 0);
    CHECK(lseek(fd, 0, SEEK_END) == far + 3);
    close(fd);
}

static void shared_mappings(void)
{
    char page[4096];

    memset(page, 'a', sizeof(page));
    int fd = open("m", O_RDWR | O_CREAT, 0644);
    CHECK(write(fd, page, sizeof(page)) == sizeof(page));
    char *p = mmap(NULL, sizeof(page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CHECK(p != MAP_FAILED);
    p[100] = 'b';
    CHECK(msync(p, sizeof(page), MS_SYNC) == 0);
    CHECK(pread(fd, page, 1, 100) == 1 && page[0] == 'b');
    CHECK(pwrite(fd, "c", 1, 200) == 1 && p[200] == 'c');
    p[300] = 'd';
    CHECK(munmap(p, 4096) == 0);
    close(fd);
    fd = open("m", O_RDONLY);
    CHECK(pread(fd, page, 1, 300) == 1 && page[0] == 'd');
    close(fd);
}

static void extended_attributes(void)
{
    char buf[64];

    put("a", "x");
    if (setxattr("a", "user.one", "1", 1, 0) < 0 && errno == EOPNOTSUPP)
        exit(77);
    FAILS(EEXIST, setxattr("a", "user.one", "2", 1, XATTR_CREATE));
    CHECK(setxattr("a", "user.two", "zwei", 4, XATTR_CREATE) == 0);
    CHECK(getxattr("a", "user.two", NULL, 0) == 4);
    CHECK(getxattr("a", "user.two", buf, sizeof(buf)) == 4 && memcmp(buf, "zwei", 4) == 0);
    FAILS(ERANGE, getxattr("a", "user.two", buf, 2));
    ssize_t n = listxattr("a", buf, sizeof(buf));
    CHECK(n > 0 && memmem(buf, (size_t)n, "user.one", 9) && memmem(buf, (size_t)n, "user.two", 9));
    CHECK(removexattr("a", "user.one") == 0);
    FAILS(ENODATA, getxattr("a", "user.one", buf, sizeof(buf)));
    FAILS(ENODATA, removexattr("a", "user.one"));
}

static void flock_between_descriptors(void)
{
    put("l", "");
    int one = open("l", O_RDWR), two = open("l", O_RDWR), same = dup(one);
    CHECK(flock(one, LOCK_EX) == 0);
    FAILS(EWOULDBLOCK, flock(two, LOCK_EX | LOCK_NB));
    CHECK(flock(same, LOCK_EX | LOCK_NB) == 0);
    CHECK(flock(one, LOCK_SH) == 0 && flock(two, LOCK_SH | LOCK_NB) == 0);
    CHECK(flock(two, LOCK_UN) == 0);
    CHECK(flock(one, LOCK_EX) == 0);
    close(one);
    FAILS(EWOULDBLOCK, flock(two, LOCK_SH | LOCK_NB));
    close(same);
    for (int i = 0; i < 100 && flock(two, LOCK_EX | LOCK_NB) < 0; i++)
        usleep(20000); /* the release may arrive a moment later */
    CHECK(flock(two, LOCK_EX | LOCK_NB) == 0);
    close(two);
}

static int lock_with(int fd, short type, int command)
{
    struct flock l = {.l_type = type, .l_whence = SEEK_SET, .l_start = 10, .l_len = 10};

    return fcntl(fd, command, &l);
}

static void child_is_refused(void)
{
    struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 100};
    int fd = open("l", O_RDWR);

    CHECK(lock_with(fd, F_WRLCK, F_SETLK) < 0 && (errno == EAGAIN || errno == EACCES));
    CHECK(fcntl(fd, F_GETLK, &l) == 0);
    CHECK(l.l_type == F_WRLCK && l.l_start == 10 && l.l_len == 10);
}

static void child_gets_it(void)
{
    int fd = open("l", O_RDWR);

    CHECK(lock_with(fd, F_WRLCK, F_SETLK) == 0);
}

static void fcntl_between_processes(void)
{
    put("l", "");
    int one = open("l", O_RDWR), two = open("l", O_RDWR);
    CHECK(lock_with(one, F_WRLCK, F_SETLK) == 0);
    CHECK(lock_with(two, F_WRLCK, F_SETLK) == 0); /* the same process: no conflict */
    in_child(child_is_refused);
    CHECK(lock_with(one, F_UNLCK, F_SETLK) == 0);
    in_child(child_gets_it);
    CHECK(lock_with(one, F_WRLCK, F_SETLK) == 0);
    in_child(child_is_refused);
    close(two); /* closing any descriptor drops the locks of the process */
    in_child(child_gets_it);
    close(one);
}

static void waiting_for_a_lock(void)
{
    int status, ready[2];
    char c;

    put("l", "");
    CHECK(pipe(ready) == 0);
    pid_t pid = fork();
    if (pid == 0) {
        int fd = open("l", O_RDWR);
        CHECK(lock_with(fd, F_WRLCK, F_SETLKW) == 0);
        CHECK(write(ready[1], "", 1) == 1);
        usleep(200000);
        _exit(0); /* drops it */
    }
    CHECK(read(ready[0], &c, 1) == 1);
    int fd = open("l", O_RDWR);
    FAILS(EAGAIN, lock_with(fd, F_WRLCK, F_SETLK));
    CHECK(lock_with(fd, F_WRLCK, F_SETLKW) == 0);
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    close(fd);
}

static void on_alarm(int number)
{
    (void)number;
}

static void a_wait_for_a_lock_can_be_interrupted(void)
{
    const struct sigaction act = {.sa_handler = on_alarm};
    int status;

    put("l", "");
    int one = open("l", O_RDWR);
    CHECK(lock_with(one, F_WRLCK, F_SETLK) == 0);
    pid_t pid = fork();
    if (pid == 0) {
        int fd = open("l", O_RDWR);
        sigaction(SIGALRM, &act, NULL);
        ualarm(200000, 0);
        FAILS(EINTR, lock_with(fd, F_WRLCK, F_SETLKW));
        _exit(0);
    }
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    close(one);
}

static void special_files(void)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX, .sun_path = "s"};
    char buf[4];

    CHECK(mkfifo("p", 0600) == 0 && S_ISFIFO(stat_of("p").st_mode));
    int fd = open("p", O_RDWR);
    CHECK(write(fd, "x", 1) == 1 && read(fd, buf, 1) == 1);
    close(fd);
    fd = socket(AF_UNIX, SOCK_STREAM, 0);
    CHECK(bind(fd, (struct sockaddr *)&at, sizeof(at)) == 0 && S_ISSOCK(stat_of("s").st_mode));
    close(fd);
    CHECK(mknod("n", S_IFREG | 0600, 0) == 0 && S_ISREG(stat_of("n").st_mode));
}

static int count_entries(void)
{
    DIR *d = opendir(".");
    int n = 0;

    CHECK(d);
    while (readdir(d))
        n++;
    closedir(d);
    return n - 2;
}

static void listing(void)
{
    char name[16];

    for (int i = 0; i < 1500; i++) {
        snprintf(name, sizeof(name), "f%d", i);
        CHECK(close(open(name, O_WRONLY | O_CREAT, 0644)) == 0);
    }
    CHECK(count_entries() == 1500);
    DIR *d = opendir(".");
    struct dirent *e;
    int removed = 0;
    while ((e = readdir(d)))
        if (e->d_name[0] == 'f')
            removed += unlink(e->d_name) == 0;
    closedir(d);
    CHECK(removed == 1500 && count_entries() == 0);
}

static void rewinding_a_listing(void)
{
    struct dirent *e;

    put("a", "");
    put("b", "");
    DIR *d = opendir(".");
    while (readdir(d))
        ;
    put("c", "");
    rewinddir(d);
    int n = 0;
    while ((e = readdir(d)))
        n++;
    CHECK(n == 5);
    rewinddir(d);
    CHECK(readdir(d));
    long at = telldir(d);
    e = readdir(d);
    char second[256];
    snprintf(second, sizeof(second), "%s", e->d_name);
    while (readdir(d))
        ;
    seekdir(d, at);
    CHECK((e = readdir(d)) && strcmp(e->d_name, second) == 0);
    closedir(d);
}

static void syncing(void)
{
    int fd = open("a", O_RDWR | O_CREAT, 0644);

    CHECK(write(fd, "x", 1) == 1 && fsync(fd) == 0 && fdatasync(fd) == 0);
    close(fd);
    fd = open(".", O_RDONLY | O_DIRECTORY);
    CHECK(fsync(fd) == 0);
    close(fd);
}

static void allocating(void)
{
    int fd = open("a", O_RDWR | O_CREAT, 0644);

    if (fallocate(fd, 0, 0, 100000) < 0 && errno == EOPNOTSUPP)
        exit(77);
    CHECK(stat_of("a").st_size == 100000);
    CHECK(posix_fallocate(fd, 0, 200000) == 0 && stat_of("a").st_size == 200000);
    close(fd);
}

static void copying_a_range(void)
{
    put("a", "0123456789");
    int from = open("a", O_RDONLY), to = open("b", O_WRONLY | O_CREAT, 0644);
    off_t at = 2;
    ssize_t n = copy_file_range(from, &at, to, NULL, 5, 0);
    if (n < 0 && (errno == EOPNOTSUPP || errno == ENOSYS || errno == EXDEV))
        exit(77);
    CHECK(n == 5 && at == 7);
    close(from);
    close(to);
    CHECK(holds("b", "23456"));
}

static void names(void)
{
    static const char *const odd[] = {
        " ",   "a b", "new\nline", "tab\t", "back\\slash",       "\xff\xfe",
        "-rf", "*?[", "'\"",       "...",   "gr\xc3\xbc\xc3\x9f"};
    char name[300];

    for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
        put(odd[i], "x");
        CHECK(holds(odd[i], "x"));
    }
    CHECK(count_entries() == sizeof(odd) / sizeof(*odd));
    memset(name, 'n', sizeof(name));
    name[255] = '\0';
    put(name, "long");
    CHECK(holds(name, "long") && unlink(name) == 0);
    name[255] = 'n';
    name[256] = '\0';
    FAILS(ENAMETOOLONG, open(name, O_WRONLY | O_CREAT, 0644));
}

static void deep_paths(void)
{
    for (int i = 0; i < 300; i++)
        CHECK(mkdir("directory", 0755) == 0 && chdir("directory") == 0);
    put("f", "deep");
    CHECK(holds("f", "deep"));
    CHECK(unlink("f") == 0);
    for (int i = 0; i < 300; i++)
        CHECK(chdir("..") == 0 && rmdir("directory") == 0);
}

static void file_system_figures(void)
{
    struct statvfs st;

    CHECK(statvfs(".", &st) == 0);
    CHECK(st.f_blocks > 0 && st.f_namemax == 255 && !(st.f_flag & ST_RDONLY));
}

static const struct {
    const char *name;
    void (*run)(void);
} checks[] = {
#define C(name)     \
    {               \
#name, name \
    }
    C(create),
    C(create_applies_umask),
    C(directories),
    C(unlinking),
    C(unlinked_but_open),
    C(removed_working_directory),
    C(hard_links),
    C(many_hard_links),
    C(symbolic_links),
    C(renaming_files),
    C(renaming_directories),
    C(renaming_with_flags),
    C(replaced_but_open),
    C(truncating),
    C(appending),
    C(modes_and_owners),
    C(writing_drops_set_id_bits),
    C(new_files_belong_to_who_makes_them),
    C(permissions_are_enforced),
    C(times),
    C(beyond_four_gigabytes),
    C(shared_mappings),
    C(extended_attributes),
    C(flock_between_descriptors),
    C(fcntl_between_processes),
    C(waiting_for_a_lock),
    C(a_wait_for_a_lock_can_be_interrupted),
    C(special_files),
    C(listing),
    C(rewinding_a_listing),
    C(syncing),
    C(allocating),
    C(copying_a_range),
    C(names),
    C(deep_paths),
    C(file_system_figures),
};

enum { COUNT = sizeof(checks) / sizeof(*checks) };

int main(int argc, char **argv)
{
    for (size_t i = 0; i < COUNT; i++) {
        if (argc == 2 && strcmp(argv[1], "--list") == 0)
            puts(checks[i].name);
        if (argc != 3 || strcmp(argv[2], checks[i].name) != 0)
            continue;
        umask(022);
        CHECK(chdir(argv[1]) == 0);
        CHECK(mkdir(argv[2], 0755) == 0 && chdir(argv[2]) == 0);
        checks[i].run();
        return 0;
    }
    return argc == 2 ? 0 : 2;
}
