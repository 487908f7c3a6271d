#!/bin/sh
# Coroutines with stacks of a few kilobytes open files and start programs as they do plainly.
. "$(dirname "$0")/../lib.sh"
need_compiler
need_ptrace
. "$here/watch.sh"

# small BYTES DIR: each call in a process of its own, on a stack of that size above a guard page
cat >small.c <<'P'
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
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
extern char **environ;
static ucontext_t back, coroutine;
static const char *dir, *what;
static char path[256], script[256], bare[64];
static char *argv_[] = {"told", "a", "b", NULL};
static int status, result;
static pid_t pid;
static struct stat st;
static char buffer[256];
static void wait_for_it(void)
{
    waitpid(pid, &status, 0);
    result = result ? result : WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}
static void work(void)
{
    if (!strcmp(what, "open"))
        result = open(path, O_RDONLY) >= 0;
    else if (!strcmp(what, "create"))
        result = open("../made", O_WRONLY | O_CREAT, 0600) >= 0;
    else if (!strcmp(what, "stat"))
        result = stat(path, &st) == 0 && S_ISREG(st.st_mode);
    else if (!strcmp(what, "absent"))
        result = access("none", F_OK);
    else if (!strcmp(what, "readlink"))
        result = (int)readlink("link", buffer, sizeof(buffer));
    else if (!strcmp(what, "execve"))
        execve(path, argv_, environ);
    else if (!strcmp(what, "execv-script"))
        execv(script, argv_);
    else if (!strcmp(what, "execvp"))
        execvp(bare, argv_);
    else if (!strcmp(what, "execvp-none"))
        result = execvp("there-is-none-such", argv_), result = errno;
    else if (!strcmp(what, "execl"))
        execl(path, "told", "a", "b", (char *)NULL);
    else if (!strcmp(what, "spawn"))
        result = posix_spawn(&pid, path, NULL, NULL, argv_, environ), wait_for_it();
    else if (!strcmp(what, "spawn-script"))
        result = posix_spawn(&pid, script, NULL, NULL, argv_, environ), wait_for_it();
    else if (!strcmp(what, "spawnp"))
        result = posix_spawnp(&pid, bare, NULL, NULL, argv_, environ), wait_for_it();
    else if (!strcmp(what, "_exit"))
        _exit(5);
    else if (!strcmp(what, "lacking")) {
        unsetenv("LD_PRELOAD");
        execv(path, argv_);
    }
}
static void one(const char *name, size_t size)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        char *at = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        mprotect(at, 32768, PROT_NONE);
        what = name;
        getcontext(&coroutine);
        coroutine.uc_stack.ss_sp = at + 32768;
        coroutine.uc_stack.ss_size = size;
        coroutine.uc_link = &back;
        makecontext(&coroutine, work, 0);
        swapcontext(&back, &coroutine);
        _exit(result);
    }
    waitpid(child, &status, 0);
    printf("%s: %s %d\n", name, WIFEXITED(status) ? "exit" : "signal",
           WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}
int main(int argc, char **argv)
{
    static const char *const all[] = {"open", "create", "stat", "absent", "readlink", "execve", "execv-script",
        "execvp", "execvp-none", "execl", "spawn", "spawn-script", "spawnp", "_exit", "lacking"};
    size_t size = argc > 2 ? (size_t)atoi(argv[1]) : 0;
    dir = argv[2];
    snprintf(path, sizeof(path), "%s/told", dir);
    snprintf(script, sizeof(script), "%s/script", dir);
    snprintf(bare, sizeof(bare), "told");
    chdir(dir);
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        one(all[i], size);
    return 0;
}
P
cat >told.c <<'P'
#include <stdio.h>
int main(int argc, char **argv)
{
    for (int i = 0; i < argc; i++)
        printf("%s%c", argv[i], i + 1 < argc ? ' ' : '\n');
    return argc;
}
P
mkdir -p app node && chmod 700 node
$cc -O1 small.c -o app/small -Wl,-z,now
$cc -O1 told.c -o app/told
printf '#!%s/app/told option\n' "$tmp" >app/script
chmod +x app/script
ln -s told app/link
export PATH="$tmp/app:$PATH"
loadcast record -o app.lcast --manage "$tmp/app" -- app/small 30000 "$tmp/app" >recorded 2>&1

for size in 16384 8192 6144 5120 4096; do
    t "a stack of $size bytes" '
        app/small $size "$tmp/app" >plain 2>plain.err
        loadcast exec -q --dir "$tmp/node" app.lcast -- app/small $size "$tmp/app" >served 2>served.err
        lacks signal plain
        same plain served
        same plain.err served.err
        watched_once app/small $size "$tmp/app" >served 2>served.err
        same plain served
        same plain.err served.err
    '
done
t 'of which programs were started from node memory' '
    loadcast status --dir "$tmp/node" --json >status
    "$python" -c "import json; n = json.load(open(\"status\"))[0]; assert n[\"counts\"][\"exec\"] > 20, n[\"counts\"]"
'
finish
