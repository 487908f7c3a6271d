/* SPDX-License-Identifier: MIT */
/* change.c - every way to change names, contents and attributes: change KIND, or change --list
 * Works in the current directory, which has: file, other, dir/inner, empty/, link -> file, dirlink
 * -> dir, and outside -> a directory elsewhere that holds 'back', a link to this one. */
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utime.h>

extern char **environ;

static int give(int fd)
{
    return fd < 0 || write(fd, "new content\n", 12) != 12 || close(fd) < 0 ? -1 : 0;
}

static int give_stream(FILE *f)
{
    return !f || fputs("new content\n", f) < 0 || fclose(f) != 0 ? -1 : 0;
}

static int here(void)
{
    return open(".", O_RDONLY | O_DIRECTORY);
}

/* A descriptor of a file that may have been served from node memory. */
static int reading(void)
{
    return open("file", O_RDONLY);
}

static int bind_name(const char *name)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    strncpy(at.sun_path, name, sizeof(at.sun_path) - 1);
    return bind(fd, (struct sockaddr *)&at, sizeof(at));
}

static int by_child(const char *name)
{
    posix_spawn_file_actions_t actions;
    char *argv[] = {(char *)"echo", (char *)"from a child", NULL};
    int status = -1;
    pid_t pid;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (posix_spawnp(&pid, "echo", &actions, NULL, argv, environ) == 0)
        waitpid(pid, &status, 0);
    return status;
}

static int temporary(int fd, const char *name)
{
    return give(fd) == 0 ? rename(name, "made") : -1;
}

static const struct timespec times[2] = {{1000, 5}, {2000, 7}};
static const struct timeval old_times[2] = {{1000, 5}, {2000, 7}};
static const struct utimbuf oldest_times = {1000, 2000};
static char name6[] = "tXXXXXX", name6_suffix[] = "tXXXXXX.so";

#define KINDS(K)                                                                         \
    K(open_create, give(open("new", O_WRONLY | O_CREAT, 0640)))                          \
    K(open_write, give(open("file", O_WRONLY)))                                          \
    K(open_append, give(open("file", O_WRONLY | O_APPEND)))                              \
    K(open_truncate, give(open("file", O_RDWR | O_TRUNC)))                               \
    K(open_through_link, give(open("link", O_WRONLY)))                                   \
    K(openat_create, give(openat(here(), "dir/new", O_WRONLY | O_CREAT, 0600)))          \
    K(creat, give(creat("new", 0600)))                                                   \
    K(fopen_w, give_stream(fopen("file", "w")))                                          \
    K(fopen_a, give_stream(fopen("file", "a")))                                          \
    K(fopen_update, give_stream(fopen("file", "r+")))                                    \
    K(freopen, give_stream(freopen("new", "w", fopen("file", "r"))))                     \
    K(mkstemp, temporary(mkstemp(name6), name6))                                         \
    K(mkostemps, temporary(mkostemps(name6_suffix, 3, O_CLOEXEC), name6_suffix))         \
    K(mkdtemp, mkdtemp(name6) ? rename(name6, "made") : -1)                              \
    K(unlink, unlink("file"))                                                            \
    K(unlink_link, unlink("link"))                                                       \
    K(unlinkat, unlinkat(here(), "file", 0))                                             \
    K(rmdir, rmdir("empty"))                                                             \
    K(rmdir_fails, rmdir("dir") < 0 ? 0 : -1)                                            \
    K(remove, remove("file"))                                                            \
    K(rename, rename("file", "new"))                                                     \
    K(rename_over, rename("other", "file"))                                              \
    K(rename_directory, rename("dir", "new"))                                            \
    K(rename_onto_absent, mkdir("../scratch", 0700) || mkdir("../scratch/deep", 0700) || \
                              give(creat("../scratch/deep/er", 0600)) ||                 \
                              rename("../scratch", "new"))                               \
    K(renameat, renameat(here(), "file", here(), "new"))                                 \
    K(renameat2_exchange, renameat2(here(), "file", here(), "other", RENAME_EXCHANGE))   \
    K(link, link("file", "new"))                                                         \
    K(linkat, linkat(here(), "file", here(), "new", 0))                                  \
    K(symlink, symlink("other", "new"))                                                  \
    K(symlink_onto_absent, symlink("dir", "new") || give(creat("new/deep", 0600)))       \
    K(symlinkat, symlinkat("dir", here(), "new"))                                        \
    K(mkdir, mkdir("new", 0700) || give(creat("new/deep", 0600)))                        \
    K(mkdir_exists, mkdir("dir", 0700) < 0 && mkdir("file", 0700) < 0 ? 0 : -1)          \
    K(mkdirat, mkdirat(here(), "new", 0700))                                             \
    K(mkfifo, mkfifo("new", 0600))                                                       \
    K(mknod, mknod("new", S_IFREG | 0600, 0))                                            \
    K(truncate, truncate("file", 1))                                                     \
    K(chmod, chmod("file", 0700))                                                        \
    K(chmod_directory, chmod("dir", 0711))                                               \
    K(fchmodat, fchmodat(here(), "file", 0700, 0))                                       \
    K(fchmod, fchmod(reading(), 0700))                                                   \
    K(chown, chown("file", (uid_t)-1, getgid()))                                         \
    K(lchown, lchown("link", (uid_t)-1, getgid()))                                       \
    K(fchown, fchown(reading(), (uid_t)-1, getgid()))                                    \
    K(utime, utime("file", &oldest_times))                                               \
    K(utimes, utimes("file", old_times))                                                 \
    K(lutimes, lutimes("link", old_times))                                               \
    K(futimes, futimes(reading(), old_times))                                            \
    K(futimens, futimens(reading(), times))                                              \
    K(utimensat, utimensat(here(), "file", times, 0))                                    \
    K(utimensat_link, utimensat(AT_FDCWD, "link", times, AT_SYMLINK_NOFOLLOW))           \
    K(setxattr, setxattr("file", "user.x", "1", 1, 0) == 0 ? 0 : 0)                      \
    K(fsetxattr, fsetxattr(reading(), "user.x", "1", 1, 0) == 0 ? 0 : 0)                 \
    K(bind, bind_name("new"))                                                            \
    K(child, by_child("new"))                                                            \
    K(child_over, by_child("file"))                                                      \
    K(through_outside, give(creat("outside/back/new", 0600)))                            \
    K(rename_through_outside, rename("outside/back/file", "outside/back/new"))           \
    K(unlink_through_outside, unlink("outside/back/file"))                               \
    K(mkdir_through_outside, mkdir("outside/back/new", 0700))

static const struct {
    const char *name;
} kinds[] = {
#define NAME(kind, call) {#kind},
    KINDS(NAME)
#undef NAME
};

static int change(const char *kind)
{
#define CALL(name, call)          \
    if (strcmp(kind, #name) == 0) \
        return call;
    KINDS(CALL)
#undef CALL
    return -2;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
            puts(kinds[i].name);
        return 0;
    }
    if (argc != 2 || change(argv[1]) != 0) {
        perror(argc == 2 ? argv[1] : "usage: change KIND");
        return 1;
    }
    return 0;
}
