/* SPDX-License-Identifier: MIT */
/* attributes.c - modes, owners, times, extended attributes, special files */
#include "check.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

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

static void file_system_figures(void)
{
    struct statvfs st;

    CHECK(statvfs(".", &st) == 0);
    CHECK(st.f_blocks > 0 && st.f_namemax == 255 && !(st.f_flag & ST_RDONLY));
}

const struct check attributes_checks[] = {
    {"create_applies_umask", create_applies_umask},
    {"modes_and_owners", modes_and_owners},
    {"writing_drops_set_id_bits", writing_drops_set_id_bits},
    {"new_files_belong_to_who_makes_them", new_files_belong_to_who_makes_them},
    {"permissions_are_enforced", permissions_are_enforced},
    {"times", times},
    {"extended_attributes", extended_attributes},
    {"special_files", special_files},
    {"file_system_figures", file_system_figures},
    {NULL, NULL},
};
