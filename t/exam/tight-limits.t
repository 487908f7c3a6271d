#!/bin/sh
# Programs under tight limits of descriptors, address space and file size run as they do plainly.
. "$(dirname "$0")/../lib.sh"
need_compiler
need_ptrace

# limited LIMIT VALUE DIR: sets it, then opens, lists, asks, writes and starts programs, and tells
cat >limited.c <<'P'
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
static void tell(const char *what, long result)
{
    printf("%s %ld%s%s\n", what, result, result < 0 ? " " : "", result < 0 ? strerror(errno) : "");
}
static int files(void)
{
    DIR *d = opendir("dir");
    int n = d ? 0 : -1;
    while (d && readdir(d))
        n++;
    if (d)
        closedir(d);
    return n;
}
static void start(char *const argv[])
{
    int status = -1;
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        execv(argv[0], argv);
        printf("execv %s\n", strerror(errno));
        fflush(stdout);
        _exit(90);
    }
    waitpid(pid, &status, 0);
    tell(argv[0], WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status));
}
static void work(char **argv)
{
    struct stat st;
    char text[64], *const again[] = {argv[0], NULL}, *const shell[] = {"/bin/sh", "-c", "exit 7", NULL};
    FILE *f = fopen("file", "r");
    tell("fopen", f ? 0 : -1);
    tell("read", f && fgets(text, sizeof(text), f) ? (long)strlen(text) : -1);
    tell("open", open("file", O_RDONLY) >= 0 ? 0 : -1);
    tell("open again", open("./file", O_RDONLY) >= 0 ? 0 : -1);
    tell("stat", stat("file", &st));
    tell("list", files());
    tell("absent", access("none", F_OK));
    void *h = dlopen("./libone.so", RTLD_NOW);
    printf("dlopen %s\n", h ? "yes" : dlerror());
    tell("system", system("exit 5"));
    start(again);
    start(shell);
    int fd = open("made", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    tell("made", fd >= 0 ? 0 : -1);
    tell("written", fd >= 0 ? write(fd, "x", 1) : -2);
}
int main(int argc, char **argv)
{
    int which = 0;
    if (argc < 4)
        return 42;
    if (!strcmp(argv[1], "files"))
        which = RLIMIT_NOFILE;
    if (!strcmp(argv[1], "memory"))
        which = RLIMIT_AS;
    if (!strcmp(argv[1], "size"))
        which = RLIMIT_FSIZE;
    setvbuf(stdout, NULL, _IOLBF, 4096);
    if (chdir(argv[3]) != 0)
        return 41;
    if (strcmp(argv[1], "none") != 0) {
        struct rlimit limit = {(rlim_t)atol(argv[2]), (rlim_t)atol(argv[2])};
        setrlimit(which, &limit);
    }
    work(argv);
    return 0;
}
P
mkdir -p app/dir node && chmod 700 node
echo text >app/file
echo one >app/dir/one
echo 'int one;' >one.c
$cc -shared -fPIC one.c -o app/libone.so
$cc -O1 limited.c -o app/limited -ldl
loadcast record -o app.lcast --manage "$tmp/app" -- "$tmp/app/limited" none 0 "$tmp/app" >recorded 2>&1
rm -f app/made
loadcast exec -q --dir "$tmp/node" app.lcast -- true
# alike SHELL_LIMITS LIMIT VALUE: plainly and served, the same output and status
alike() {
    a=0; (eval "$1"; exec "$tmp/app/limited" "$2" "$3" "$tmp/app") >plain 2>plain.err || a=$?
    rm -f app/made
    b=0; (node=$(ls -d "$tmp"/node/loadcast-*/*/); eval "$1"; LOADCAST_NODE=${node%/} exec "${node%/}/bin/launch" "$tmp/app/limited" "$2" "$3" "$tmp/app") >served 2>served.err || b=$?
    rm -f app/made
    # A listing from node memory needs no descriptor.
    sed -i "s/^list .*/list/" plain served
    same plain served
    same plain.err served.err
    test $a = $b
}
t 'without limits' 'alike : none 0; says "dlopen yes" served'
for n in 3 4 5 6; do
    t "$n descriptors, set by the program" 'alike : files $n'
done
for n in 4 5; do
    t "$n descriptors, set before it starts" 'alike "ulimit -n $n" none 0'
done
for n in 8 12 20 40; do
    t "$n MB of address space, set by the program" 'alike : memory $((n << 20))'
    t "$n MB of address space, set before it starts" 'alike "ulimit -v $((n << 10))" none 0'
done
t 'no byte to be written, set by the program' 'alike : size 0'
t 'no byte to be written, set before it starts' 'alike "ulimit -f 0" none 0'
# Python needs nearly all of this.
cat >app/most.py <<'P'
import decimal, email.message, json, resource, subprocess, sys
if len(sys.argv) > 1:
    limit = int(sys.argv[1]) << 20
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    sys.exit(subprocess.call([sys.executable, sys.argv[0]]))
print(json.dumps(1))
P
# In MB. One more is given: where memory comes to lie is different each time.
least=8
until (ulimit -v $((least << 10)); exec "$python" app/most.py) >/dev/null 2>&1; do least=$((least + 1)); done
t 'as little address space as Python can do with, set before it starts' '
    loadcast record -o python.lcast --manage "$tmp/app" --manage "$("$python" -c "import json, os; print(os.path.dirname(os.path.dirname(json.__file__)))")" -- "$python" app/most.py >recorded 2>&1
    loadcast exec -q --dir "$tmp/node" python.lcast -- "$python" -c "import os; print(os.environ[\"LOADCAST_NODE\"])" >where
    for n in $((least + 1)) $((least + 2)) $((least + 40)); do
        (ulimit -v $((n << 10)); exec "$(cat where)/bin/launch" "$python" app/most.py) >served 2>served.err
        echo 1 | same - served
        nothing <served.err
    done
    loadcast status --dir "$tmp/node" >text
    says "its address space is limited" text
'
t 'the same, set by the one that starts it' '
    for n in $((least + 1)) $((least + 2)) $((least + 40)); do
        "$(cat where)/bin/launch" "$python" app/most.py $n >served 2>served.err
        echo 1 | same - served
        nothing <served.err
    done
'
finish
