#!/bin/sh
# A program knows itself, and is known to others, by the name it was started by: what the kernel tells it
# (AT_EXECFN, /proc/self/comm, /proc/self/exe), what pgrep finds, what ldd and error messages name.
. "$(dirname "$0")/../lib.sh"
need_compiler
need_ptrace

cat >names.c <<'P'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    char text[4096] = "", exe[4096] = "";
    int fd = open("/proc/self/comm", O_RDONLY);
    (void)!read(fd, text, sizeof(text) - 1);
    text[strcspn(text, "\n")] = '\0';
    (void)!readlink("/proc/self/exe", exe, sizeof(exe) - 1);
    printf("execfn %s, comm %s, exe %s, argv", (char *)getauxval(AT_EXECFN), text, exe);
    for (int i = 0; i < argc; i++)
        printf(" %s", argv[i]);
    puts("");
    return 0;
}
P
# each NAME...: starts each by execv, execvp and a shell
cat >each.c <<'P'
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        for (int how = 0; how < 3; how++) {
            char *const list[] = {"own", "a", NULL};
            if (how == 2) {
                system(argv[i]);
                continue;
            }
            if (fork() == 0) {
                how ? execvp(argv[i], list) : execv(argv[i], list);
                _exit(1);
            }
            wait(NULL);
        }
    return 0;
}
P
mkdir -p app/bin app/view app/work node && chmod 700 node
$cc -O1 names.c -o app/bin/names-3.11 -ldl
$cc -O1 each.c -o app/bin/each
ln -s names-3.11 app/bin/names
ln -s ../bin/names app/view/by-view
ln -s view app/current
printf '#!%s/app/bin/names-3.11\n' "$tmp" >app/bin/script.py
printf '#!%s/app/view/by-view with option\n' "$tmp" >app/bin/a-script-with-a-long-name
printf '#!%s/app/bin/script.py\n' "$tmp" >app/bin/nested
chmod +x app/bin/script.py app/bin/a-script-with-a-long-name app/bin/nested
export PATH="$tmp/app/bin:$tmp/app/current:$PATH"
names="$tmp/app/bin/names-3.11 $tmp/app/bin/names $tmp/app/current/by-view ../bin/names ./../bin/script.py names by-view"
names="$names $tmp/app/bin/script.py a-script-with-a-long-name ../bin/nested nested"
alike() {
    (cd app/work && "$@") >plain 2>plain.err
    (cd app/work && loadcast exec -q --dir "$tmp/node" "$tmp/app.lcast" -- "$@") >served 2>served.err
    same plain served
    same plain.err served.err
}
(cd app/work && loadcast record -o "$tmp/app.lcast" --manage "$tmp/app" -- each $names) >recorded 2>&1

t 'started by path, link, relative path, PATH, a script, by each way' '
    alike each $names
    loadcast status --dir "$tmp/node" --json >status
    "$python" -c "import json; n = json.load(open(\"status\"))[0]; assert n[\"counts\"][\"exec\"] > 20, n[\"counts\"]"
'
t 'started by the launcher itself' '
    for name in $names; do alike $name x; done
'
t 'pgrep finds a script by its name' '
    command -v pgrep >/dev/null || skip "no pgrep"
    printf "#!%s\nimport os, subprocess\nprint(subprocess.call([\"pgrep\", \"-x\", \"-P\", str(os.getppid()), \"my-analysis\"], stdout=subprocess.DEVNULL))\n" "$python" >app/bin/my-analysis
    chmod +x app/bin/my-analysis
    loadcast record -o python.lcast --manage "$tmp/app" --manage "$(dirname "$("$python" -c "import sys; print(sys.executable)")")" -- app/bin/my-analysis >recorded 2>&1
    loadcast exec -q --dir "$tmp/node" python.lcast -- app/bin/my-analysis >served
    echo 0 | same - served
'
t 'inside bwrap --ro-bind / /' '
    command -v bwrap >/dev/null || skip "no bwrap"
    bwrap --ro-bind / / true 2>err || skip "bwrap cannot make a namespace here: $(head -1 err)"
    alike bwrap --ro-bind / / --proc /proc "$tmp/app/bin/names"
    alike bwrap --ro-bind / / --dev-bind /dev /dev --proc /proc "$tmp/app/bin/script.py"
'
t 'ldd names original files' '
    lib() { echo "int $2;" >lib.c; $cc -shared -fPIC lib.c -o "$1" -Wl,-soname,"$(basename "$1")"; }
    mkdir -p app/lib
    lib app/lib/libneeded.so needed
    echo "int main(void) { return 0; }" >main.c
    $cc main.c -o app/bin/linked -Wl,--no-as-needed -Lapp/lib -lneeded -Wl,-rpath,"$tmp/app/lib"
    loadcast record -o ldd.lcast --manage "$tmp/app" -- app/bin/linked >recorded 2>&1
    ldd app/bin/linked | sed "s/(0x.*//" >plain
    loadcast exec -q --dir "$tmp/node" ldd.lcast -- ldd app/bin/linked 2>served.err | sed "s/(0x.*//" | grep -v "/bin/preload.so" >served
    nothing <served.err
    same plain served
'
t 'a library that cannot be loaded is told of by the name that was asked for' '
    mkdir -p app/mod
    cp app/lib/libneeded.so app/mod/broken.so
    cat >try.py <<P
import ctypes, resource, sys
path = sys.argv[1]
ctypes.CDLL(None)
if len(sys.argv) > 2:
    sys.exit(0 if ctypes.CDLL(path) else 1)
resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))
try:
    ctypes.CDLL(path)
except OSError as e:
    print(e)
P
    loadcast record -o try.lcast --manage "$tmp/app" -- "$python" try.py "$tmp/app/mod/broken.so" open >recorded 2>&1
    "$python" try.py "$tmp/app/mod/broken.so" >plain
    loadcast exec -q --dir "$tmp/node" try.lcast -- "$python" try.py "$tmp/app/mod/broken.so" >served
    same plain served
    says "Too many open files" served
'
finish
