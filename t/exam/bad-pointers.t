#!/bin/sh
# Pointers that lead nowhere: each call ends as it does plainly, with EFAULT, and not by a signal.
. "$(dirname "$0")/../lib.sh"
need_compiler
need_ptrace
. "$here/watch.sh"

cat >bad.c <<'P'
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>
extern char **environ;
static struct stat st;
static struct statx sx;
static char text[64], *argv_[] = {"true", NULL};
static char *good;
/* Each gives a call's result for a bad path or a bad place for the answer. */
#define PATH_CALLS(p) \
    DO(open, open(p, O_RDONLY)) DO(create, open(p, O_WRONLY | O_CREAT, 0600)) DO(openat, openat(AT_FDCWD, p, O_RDONLY)) \
    DO(creat, creat(p, 0600)) DO(stat, stat(p, &st)) DO(lstat, lstat(p, &st)) DO(fstatat, fstatat(AT_FDCWD, p, &st, 0)) \
    DO(statx, statx(AT_FDCWD, p, 0, STATX_BASIC_STATS, &sx)) DO(access, access(p, R_OK)) \
    DO(faccessat, faccessat(AT_FDCWD, p, R_OK, 0)) DO(readlink, (int)readlink(p, text, sizeof(text))) \
    DO(opendir, opendir(p) ? 0 : -1) DO(fopen, fopen(p, "r") ? 0 : -1) DO(mkdir, mkdir(p, 0700)) DO(rmdir, rmdir(p)) \
    DO(unlink, unlink(p)) DO(rename, rename(p, "x")) DO(rename_to, rename("x", p)) DO(link, link(p, "x")) \
    DO(symlink, symlink("x", p)) DO(chmod, chmod(p, 0600)) DO(chown, chown(p, 0, 0)) DO(truncate, truncate(p, 0)) \
    DO(chdir, chdir(p)) DO(statfs, statfs(p, (struct statfs *)text)) DO(getxattr, (int)getxattr(p, "user.x", text, 8)) \
    DO(mkfifo, mkfifo(p, 0600)) DO(utimes, utimes(p, NULL)) DO(execve, execve(p, argv_, environ)) \
    DO(execv, execv(p, argv_)) DO(spawnp, errno = posix_spawnp(&pid, p, NULL, NULL, argv_, environ)) DO(spawn, errno = posix_spawn(&pid, p, NULL, NULL, argv_, environ))
#define PLACE_CALLS(p) \
    DO(stat, stat(good, (struct stat *)p)) DO(lstat, lstat(good, (struct stat *)p)) \
    DO(fstatat, fstatat(AT_FDCWD, good, (struct stat *)p, 0)) \
    DO(statx, statx(AT_FDCWD, good, 0, STATX_BASIC_STATS, (struct statx *)p)) \
    DO(readlink, (int)readlink("link", p, 64)) \
    DO(arguments, execve("./told", (char **)p, environ)) DO(script, execve("./script", (char **)p, environ)) \
    DO(environment, execve("./told", argv_, (char **)p)) DO(variable, execve("./told", argv_, holder(p)))
static char **holder(char *p)
{
    static char *env[4];
    env[0] = environ[0];
    env[1] = p;
    return env;
}
static void one(const char *kind, const char *name, int which, int is_place, char *p)
{
    int status = 0, at = 0, result = -2;
    pid_t pid = 0, child;
    fflush(stdout);
    child = fork();
    if (child == 0) {
        errno = 0;
#define DO(n, call) if (at++ == which) { result = call; }
        if (is_place) { PLACE_CALLS(p) } else { PATH_CALLS(p) }
#undef DO
        _exit(errno);
    }
    waitpid(child, &status, 0);
    printf("%s %s%s: %s %d\n", kind, name, is_place ? " place" : "", WIFEXITED(status) ? "errno" : "signal",
           WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    (void)result;
}
static void all(const char *kind, char *p)
{
    static const char *const path_names[] = {
#define DO(n, call) #n,
        PATH_CALLS(0)};
    static const char *const place_names[] = {PLACE_CALLS(0)};
#undef DO
    for (size_t i = 0; i < sizeof(path_names) / sizeof(*path_names); i++)
        one(kind, path_names[i], (int)i, 0, p);
    for (size_t i = 0; i < sizeof(place_names) / sizeof(*place_names); i++)
        one(kind, place_names[i], (int)i, 1, p);
}
int main(int argc, char **argv)
{
    char *pages = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    good = argv[2];
    if (argc < 3 || chdir(argv[1]) != 0)
        return 1;
    int used = open(good, O_RDONLY), links = (int)readlink("link", text, sizeof(text)), status;
    printf("%d %d %d\n", used >= 0, links, stat(good, &st));
    if (fork() == 0)
        execve("./told", argv_, environ);
    wait(&status);
    if (fork() == 0)
        execve("./script", argv_, environ);
    wait(&status);
    strcpy(pages + 4096, good); /* a page that was good before */
    printf("%d\n", stat(pages + 4096, &st));
    munmap(pages + 8192, 4096);
    memset(pages, 'x', 8192);
    pages[0] = '/';
    if (argc > 3)
        return 0;
    all("one", (char *)1);
    all("minus one", (char *)-1);
    all("no page", (char *)(pages + 8192));
    all("no end", pages + 8192 - 5);
    mprotect(pages, 4096, PROT_NONE);
    all("no right", pages + 16);
    return 0;
}
P
cat >told.c <<'P'
int main(void) { return 0; }
P
mkdir -p app node && chmod 700 node
$cc -O1 -w bad.c -o app/bad
$cc told.c -o app/told
printf '#!%s/app/told\n' "$tmp" >app/script
chmod +x app/script
echo text >app/file
ln -s file app/link
loadcast record -o app.lcast --manage "$tmp/app" -- "$tmp/app/bad" "$tmp/app" "$tmp/app/file" record >recorded 2>&1

t 'every call with every bad pointer' '
    app/bad "$tmp/app" "$tmp/app/file" >plain 2>plain.err
    rm -f app/xxxxx
    loadcast exec -q --dir "$tmp/node" app.lcast -- "$tmp/app/bad" "$tmp/app" "$tmp/app/file" >served 2>served.err
    same plain served
    same plain.err served.err
    test "$(grep -c "errno 14" plain)" -gt 100
'
t 'the same on the first run, which is watched' '
    watched_once app/bad "$tmp/app" "$tmp/app/file" >served 2>served.err
    same plain served
    same plain.err served.err
'
finish
