#!/bin/sh
# Under an auditor glibc has little room for thread variables at fixed places (static TLS): programs with
# jemalloc, ThreadSanitizer or large libraries start all the same, and small thread stacks stay usable.
. "$(dirname "$0")/../lib.sh"
need_ptrace
cc=${CC:-cc}
jemalloc=$(ls /usr/lib/*/libjemalloc.so.2 2>/dev/null | head -1)
mkdir app
mkdir -m 700 node
export LOADCAST_DIR="$tmp/node"
at_exit 'loadcast clean -q --all --dir "$LOADCAST_DIR"'
# ld.so here knows glibc.rtld.optional_static_tls.
old=
libc_is_before 2.32 && old=1

# lib NAME BYTES: thread variables of that size at a fixed place
lib() {
    cat >lib.c <<C
static __thread char place[$2] __attribute__((tls_model("initial-exec")));
int $1(void);
int $1(void) { place[7]++; return place[7] + place[$2 - 1]; }
C
    $cc -shared -fPIC lib.c -o "app/lib$1.so"
}
lib two 2000
lib six 6000
lib ten 10000
cat >opens.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        puts(dlopen(argv[i], RTLD_NOW) ? "opened" : dlerror());
    return 0;
}
C
cat >main.c <<'C'
#include <stdio.h>
#include <stdlib.h>
int CALL(void);
#ifdef SMALL
int CALL(void) { return 1; }
#endif
int main(void)
{
    void *p = malloc(100000);
    printf("%s %d\n", p ? "memory" : "none", CALL());
    free(p);
    return 0;
}
C
$cc -DCALL=two main.c -o app/two -Lapp -ltwo -Wl,-rpath,"$tmp/app"
$cc -DCALL=six main.c -o app/six -Lapp -lsix -Wl,-rpath,"$tmp/app"
$cc -DSMALL -DCALL=small main.c -o app/small
[ -z "$jemalloc" ] || $cc -DSMALL -DCALL=small main.c -o app/linked -Wl,--no-as-needed "$jemalloc"
# An exec that no library sees.
cat >raw.c <<'C'
#include <sys/syscall.h>
#include <unistd.h>
extern char **environ;
int main(int argc, char **argv)
{
    (void)argc;
    return (int)syscall(SYS_execve, argv[1], argv + 1, environ);
}
C
$cc raw.c -o app/raw
# By libc, after the environment was made smaller.
cat >spawn.c <<'C'
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
extern char **environ;
int main(int argc, char **argv)
{
    pid_t pid;
    int status;
    (void)argc;
    unsetenv("GLIBC_TUNABLES");
    if (posix_spawn(&pid, argv[1], NULL, NULL, argv + 1, environ) != 0 || waitpid(pid, &status, 0) != pid)
        return 99;
    return WEXITSTATUS(status);
}
C
$cc spawn.c -o app/spawn
cat >stacks.c <<'C'
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
static void *run(void *arg) { return arg; }
int main(void)
{
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    int set = pthread_attr_setstacksize(&attributes, 16384);
    int rc = pthread_create(&thread, &attributes, run, &set);
    printf("%s %s\n", strerror(set), strerror(rc));
    return rc ? rc : pthread_join(thread, NULL);
}
C
$cc stacks.c -o app/stacks -lpthread

# both IMAGE COMMAND...: recorded and served as it is plainly
both() {
    image=$1
    shift
    "$@" >plain
    loadcast record -o "$image.lcast" --manage "$tmp/app" -- "$@" >recorded 2>recorded.err ||
        { cat recorded.err; return 1; }
    same plain recorded
    lacks 'symbols are missing' recorded.err
    loadcast exec -q --strict "$image.lcast" -- "$@" >served
    same plain served
    loadcast exec -q --strict "$image.lcast" -- "$@" >served
    same plain served
}

t 'a library with 2,000 bytes at fixed places' 'both two app/two'
t 'a library with 6,000 bytes at fixed places' 'both six app/six'
# ld.so may place thread variables by descriptors (TLSDESC) where those at fixed places must find room.
case $("$cc" -dumpmachine) in aarch64*) descriptors=-mtls-dialect=desc ;; *) descriptors=-mtls-dialect=gnu2 ;; esac
t 'libraries with thread variables by descriptors before one with 6,000 bytes at fixed places' '
    for name in a b third; do
        echo "__thread char place_$name[1500]; int by_$name(void) { return place_$name[7]++; }" >by.c
        $cc -shared -fPIC $descriptors by.c -o app/lib$name.so 2>err || skip "the compiler knows no TLS descriptors"
    done
    $cc -DCALL=six main.c -o app/many -Lapp -Wl,--no-as-needed -la -lb -lthird -lsix -Wl,-rpath,"$tmp/app"
    both many app/many
'
t 'libraries come from node memory all the same' '
    [ -z "$old" ] || skip "no glibc.rtld.optional_static_tls"
    loadcast exec --stats six.lcast -- app/six >served 2>stats
    says "libraries mapped" stats
'
t 'jemalloc preloaded' '
    [ "$jemalloc" ] || skip "no libjemalloc"
    export LD_PRELOAD="$jemalloc"
    both preloaded app/small
    both name env LD_PRELOAD="$(basename "$jemalloc")" app/small
'
t 'jemalloc linked' '
    [ "$jemalloc" ] || skip "no libjemalloc"
    both linked app/linked
'
t 'a program built with ThreadSanitizer' '
    echo "int main(void) { return 0; }" | $cc -fsanitize=thread -xc - -o app/tsan 2>/dev/null &&
        app/tsan || skip "no ThreadSanitizer"
    both tsan app/tsan
'
t 'the rest of GLIBC_TUNABLES stays, and the larger value counts' '
    export GLIBC_TUNABLES=glibc.malloc.perturb=1:glibc.rtld.optional_static_tls=3000
    loadcast record -o t.lcast --manage $tmp/app -- app/six >recorded 2>err
    says memory recorded
    loadcast exec -q --strict t.lcast -- app/six >served
    says memory served
    [ -z "$old" ] || exit 0
    LD_PRELOAD=$tmp/app/libsix.so loadcast exec -q --strict t.lcast -- env >seen
    says "GLIBC_TUNABLES=glibc.malloc.perturb=1:glibc.rtld.optional_static_tls=3000:glibc.rtld.optional_static_tls=0x0000000000002" seen
'
t 'the user'\''s value may be hexadecimal or octal' '
    [ -z "$old" ] || skip "no glibc.rtld.optional_static_tls"
    $cc opens.c -o app/opens -ldl
    loadcast record -o t.lcast --manage $tmp/app -- app/opens >recorded 2>err
    for value in 0x8000 0X8000 0100000 32768; do
        GLIBC_TUNABLES=glibc.rtld.optional_static_tls=$value app/opens $tmp/app/libten.so >plain
        says opened plain
        GLIBC_TUNABLES=glibc.rtld.optional_static_tls=$value loadcast exec -q --strict t.lcast -- app/opens $tmp/app/libten.so >served
        same plain served
        GLIBC_TUNABLES=glibc.rtld.optional_static_tls=$value loadcast exec -q --strict t.lcast -- sh -c "app/opens $tmp/app/libten.so; :" >served
        same plain served
        GLIBC_TUNABLES=glibc.rtld.optional_static_tls=$value loadcast exec -q --strict t.lcast -- env >seen
        says "GLIBC_TUNABLES=glibc.rtld.optional_static_tls=$value" seen
    done
'
t 'a program with little need sees no GLIBC_TUNABLES' '
    loadcast record -o t.lcast --manage $tmp/app -- app/small >recorded 2>err
    loadcast exec -q --strict t.lcast -- env >seen
    says LD_AUDIT seen
    lacks GLIBC_TUNABLES seen
'
t 'thread stacks of 16 KiB' '
    both stacks app/stacks
    says "Success Success" plain
'
t 'a child that was not recorded' '
    loadcast record -o t.lcast --manage $tmp/app -- app/spawn $tmp/app/small >recorded 2>err
    app/spawn app/six >plain
    loadcast exec -q --strict t.lcast -- app/spawn app/six >served
    same plain served
'
t 'a child started by a system call, past libc' '
    LD_PRELOAD=$tmp/app/libsix.so both raw app/raw app/small
'
t 'a recorded child that needs more room than its parent' '
    for program in six ${jemalloc:+linked}; do
        both child sh -c "app/$program; app/small"
        both child app/spawn app/$program
        both child env -u GLIBC_TUNABLES app/$program
        GLIBC_TUNABLES=glibc.malloc.perturb=1 both child sh -c "app/$program; app/small"
    done
    loadcast exec --stats child.lcast -- sh -c "app/six; :" >served 2>stats
    says "libraries mapped" stats
'
t 'a recorded child of a system call, past libc' '
    loadcast record -o t.lcast --manage $tmp/app -- app/raw app/six >recorded
    app/six | same - recorded
'
t 'a child by a system call that needs more room than its parent, served' '
    for program in two ${jemalloc:+linked}; do
        both raw-$program app/raw app/$program
        both raw-$program sh -c "app/raw app/$program; :"
    done
    loadcast check raw-two.lcast >checked 2>&1
    loadcast exec -q --strict raw-two.lcast -- app/raw app/two >served
    app/two | same - served
    # What is recorded later takes nothing away.
    loadcast record -o raw-two.lcast --manage $tmp/app -- app/small >recorded
    loadcast exec -q --strict raw-two.lcast -- app/raw app/two >served
    app/two | same - served
    loadcast record -o stacks-raw.lcast --manage $tmp/app -- sh -c "app/six; app/two; app/stacks" >recorded
    loadcast exec -q --strict stacks-raw.lcast -- app/stacks >served
    says "Success Success" served
'
t 'a shell that is switched off, and its children' '
    loadcast record -o t.lcast --manage $tmp/app -- sh -c "app/small; :" >recorded
    app/six >plain
    loadcast exec -q --strict t.lcast -- env LOADCAST=0 sh -c "app/six; :" >served
    same plain served
    loadcast exec -q --strict t.lcast -- sh -c "export LOADCAST=0; app/six; sh -c app/six" >served
    cat plain plain | same - served
'
finish
