#!/bin/sh
# A program inside the job that sets or clears LD_PRELOAD, or that starts another past our preload:
# what it writes is seen by all that read it later.
. "$(dirname "$0")/../lib.sh"
need_compiler
need_ptrace

# way HOW PROGRAM ARGUMENT...: starts it without LD_PRELOAD, by this call
cat >way.c <<'P'
#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
static char *without(char **env, char **to)
{
    char **at = to;
    for (; *env; env++)
        if (strncmp(*env, "LD_PRELOAD=", 11) != 0)
            *at++ = *env;
    *at = NULL;
    return NULL;
}
static int result(pid_t pid)
{
    int status = -1;
    return pid > 0 && waitpid(pid, &status, 0) == pid ? WEXITSTATUS(status) : 99;
}
static long pages(void)
{
    long n = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    (void)!fscanf(f, "%ld", &n);
    fclose(f);
    return n;
}
int main(int argc, char **argv)
{
    static char *env[4096];
    char line[4096] = "";
    char **rest = argv + 2;
    pid_t pid = 0;
    without(environ, env);
    for (int i = 2; i < argc; i++)
        strcat(strcat(strcat(line, " '"), argv[i]), "'");
    if (!strcmp(argv[1], "execve"))
        return execve(rest[0], rest, env), 98;
    if (!strcmp(argv[1], "raw"))
        return (int)syscall(SYS_execve, rest[0], rest, env), 98;
    if (!strcmp(argv[1], "execvpe"))
        return execvpe(rest[0], rest, env), 98;
    if (!strcmp(argv[1], "posix_spawn"))
        return posix_spawn(&pid, rest[0], NULL, NULL, rest, env) ? 97 : result(pid);
    if (!strcmp(argv[1], "posix_spawnp"))
        return posix_spawnp(&pid, rest[0], NULL, NULL, rest, env) ? 97 : result(pid);
    if (!strcmp(argv[1], "often")) { /* how many pages are mapped more after a hundred children? */
        long before = pages();
        for (int i = 0; i < 100; i++) {
            pid = vfork();
            if (pid == 0) {
                execve(rest[0], rest, env);
                _exit(98);
            }
            result(pid);
        }
        return pages() - before > 99 ? 99 : (int)(pages() - before);
    }
    if (!strcmp(argv[1], "vfork")) {
        pid = vfork();
        if (pid == 0) {
            execve(rest[0], rest, env);
            _exit(98);
        }
        return result(pid);
    }
    unsetenv("LD_PRELOAD");
    if (!strcmp(argv[1], "execv"))
        return execv(rest[0], rest), 98;
    if (!strcmp(argv[1], "execvp"))
        return execvp(rest[0], rest), 98;
    if (!strcmp(argv[1], "system"))
        return WEXITSTATUS(system(line));
    if (!strcmp(argv[1], "popen")) {
        FILE *f = popen(line, "r");
        for (int c; f && (c = getc(f)) != EOF;)
            putchar(c);
        return f ? WEXITSTATUS(pclose(f)) : 97;
    }
    return 96;
}
P
echo 'int loadcast_test_own; ' >own.c
$cc -shared -fPIC own.c -o own.so
mkdir -p app/bin app/dir node && chmod 700 node
$cc -O1 way.c -o app/bin/way
printf 'new\n' >new.txt
cat >app/read.sh <<'P'
cat "$1/kept" "$1/file"; cat "$1/through"; ls "$1/dir"; cat "$1/dir/none" 2>&1; true
P
cat >app/mod.py <<'P'
print("old module")
P
# The state every test starts from.
fresh() {
    rm -rf node/* app/dir app/file app/other app/through
    mkdir app/dir
    echo old >app/file
    echo first >app/other
    echo kept >app/kept
    echo one >app/dir/one
    ln -s other app/through
}
# What a rank does once the image is staged: nobody checks it anew.
served() { LOADCAST_NODE=$node "$node/bin/launch" "$@"; }
# staged: $node is the node directory of app.lcast
staged() {
    rm -rf node/*
    loadcast exec -q --dir "$tmp/node" app.lcast -- true
    node_dir
}
node_dir() { node=$(ls -td "$tmp"/node/loadcast-*/*/ | head -1); node=${node%/}; }
stage() {
    fresh
    loadcast record -o app.lcast --manage "$tmp/app" -- sh app/read.sh "$tmp/app" >recorded 2>&1
    staged
}
# status_of EXPRESSION: of the node directory, as n
status_of() {
    loadcast status --dir "$tmp/node" --json >status
    "$python" -c "import json; n = json.load(open('status'))[0]; print($1)"
}
write() { echo "echo new >$tmp/app/file"; }

for how in 'unset LD_PRELOAD;' 'export LD_PRELOAD=;' "export LD_PRELOAD=$tmp/own.so;" 'exec env -u LD_PRELOAD'; do
    t "a script: $how" '
        stage
        case $how in exec*) line="sh -c \"$(write)\"" ;; *) line="sh -c \"$(write)\"; cat $tmp/app/file" ;; esac
        served sh -c "$how $line" >during
        served cat "$tmp/app/file" >after
        test "$(cat after)" = new
        test ! -s during || test "$(cat during)" = new
        test "$(status_of "n[\"uncovered_writer\"]")" = False
    '
done
for how in execve execv execvp execvpe posix_spawn posix_spawnp vfork system popen; do
    t "$how with an environment without LD_PRELOAD" '
        stage
        served "$tmp/app/bin/way" $how /bin/sh -c "$(write)"
        served cat "$tmp/app/file" >after
        test "$(cat after)" = new
        test "$(status_of "n[\"uncovered_writer\"]")" = False
    '
done
t 'a hundred children of vfork with a large environment leave nothing behind' '
    stage
    got=0
    (
        for i in $(seq 400); do export "A_VARIABLE_OF_THE_SITE_$i=$i"; done
        served "$tmp/app/bin/way" often /bin/true
    ) || got=$?
    test $got -le 10 || { echo "$got pages more"; exit 1; }
'
t 'our preload comes back behind the program'\''s own' '
    stage
    served sh -c "LD_PRELOAD=\"$tmp/own.so $tmp/own.so\" env; LD_PRELOAD= env" | grep "^LD_PRELOAD" >after
    printf "LD_PRELOAD=%s\n" "$tmp/own.so $tmp/own.so:$node/bin/preload.so" "$node/bin/preload.so" | same - after
    served sh -c "unset LD_PRELOAD; env" | grep "^LD_PRELOAD" >after
    echo "LD_PRELOAD=$node/bin/preload.so" | same - after
'
t 'an environment with neither of our objects gets none' '
    stage
    served sh -c "unset LD_PRELOAD LD_AUDIT; env" >after
    lacks LD_PRELOAD after
    lacks LD_AUDIT after
    served env -i /usr/bin/env | nothing
'
t 'a program started past us, with our auditor alone: what it changes is seen, the rest is still served' '
    stage
    served "$tmp/app/bin/way" raw /bin/sh -c "echo new >$tmp/app/file; ln -sfn file $tmp/app/through; echo two >$tmp/app/dir/none"
    sh app/read.sh "$tmp/app" >plain
    served sh app/read.sh "$tmp/app" >after
    same plain after
    says new after
    test "$(status_of "n[\"uncovered_writer\"]")" = True
    before=$(status_of "n[\"counts\"][\"open\"]")
    served cat "$tmp/app/kept" >after
    echo kept | same - after
    test "$(status_of "n[\"counts\"][\"open\"]")" -gt "$before"
    test "$(status_of "n[\"counts\"][\"pass_confirm\"]")" -gt 0
    loadcast status --dir "$tmp/node" >text
    says "ran without our preload" text
'
t 'that program itself reads what is there' '
    stage
    served "$tmp/app/bin/way" raw /bin/sh -c "echo new >$tmp/app/file; cat $tmp/app/file; cat $tmp/app/other" >after
    printf "new\nfirst\n" | same - after
'
t 'a module of Python changed by such a program is imported anew' '
    stage
    echo "print(\"old module\")" >app/mod.py
    (cd "$tmp" && loadcast record -o app.lcast --manage "$tmp/app" -- "$python" -B -c "import sys; sys.path.insert(0, \"$tmp/app\"); import mod") >recorded
    staged
    served "$python" -B -c "import sys; sys.path.insert(0, \"$tmp/app\"); import mod" >after
    says "old module" after
    served "$tmp/app/bin/way" raw /bin/sh -c "echo \"print(\\\"a new module\\\")\" >$tmp/app/mod.py"
    served "$python" -B -c "import sys; sys.path.insert(0, \"$tmp/app\"); import mod" >after
    says "a new module" after
'
finish
