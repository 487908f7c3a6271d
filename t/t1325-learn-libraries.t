#!/bin/sh
# Libraries that are learnt: they are found and loaded as without Loadcast, and what was recorded of searches and symbols
# stays right.
. "$(dirname "$0")/lib.sh"
need_ptrace
need_compiler
. "$here/stormfs.sh"
. "$here/learn.sh"
unset LOADCAST LOADCAST_NODE LOADCAST_IMAGE LOADCAST_LEARN LOADCAST_CONF SLURM_JOB_ID PBS_JOBID COBALT_JOBID
m=$tmp/m1
mkdir -p src/sw/bin src/sw/a src/sw/b src/sw/c later
cat >prog.c <<'EOS'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int x(void);
/* "open" LIBRARY: load it and call y(); "ask" PATH; "wait" FILE: until it is there, after making FILE.ready */
int main(int argc, char **argv)
{
    void *last = NULL;
    printf("x %d\n", x());
    for (int i = 1; i + 1 < argc; i += 2) {
        if (argv[i][0] == 'o') {
            void *h = dlopen(argv[i + 1], RTLD_NOW);
            int (*y)(void) = h ? (int (*)(void))dlsym(h, "y") : NULL;
            printf("%d %s\n", y ? y() : -1, h && h == last ? "again" : "new");
            last = h;
        } else if (argv[i][0] == 'a') {
            printf("%s\n", access(argv[i + 1], F_OK) == 0 ? "there" : "absent");
        } else {
            char ready[4096];
            snprintf(ready, sizeof(ready), "%s.ready", argv[i + 1]);
            fclose(fopen(ready, "w"));
            while (access(argv[i + 1], F_OK) != 0)
                usleep(10000);
        }
    }
    return 0;
}
EOS
library() { # library FILE FUNCTION VALUE [OPTIONS]
    file=$1 function=$2 value=$3
    shift 3
    echo "int $function(void) { return $value; }" >lib.c
    $cc -shared -fPIC -o "$file" lib.c "$@"
}
library src/sw/b/libx.so x 1 -Wl,-soname,libx.so || skip_all 'no shared libraries here'
library later/libx.so x 2 -Wl,-soname,libx.so
library src/sw/c/liby.so y 3 -Wl,-soname,liby.so
library src/sw/c/libz.so y 4 -Wl,-soname,libz.so
ln src/sw/c/liby.so src/sw/c/liby-too.so
$cc -o src/sw/bin/prog prog.c -Lsrc/sw/b -lx -ldl -Wl,--disable-new-dtags,-rpath,"$m/sw/a:$m/sw/b"
find src -exec touch -hd 2020-01-01 {} +
prog=$m/sw/bin/prog
image() { ls "$LOADCAST_STORE"/*.lcast; }
begin() {
    storm --rw --cache-s 0
    rm -rf "$LOADCAST_STORE"
    loadcast record -- "$prog" "$@" >record.out 2>&1 || { cat record.out; return 1; }
}
# as_plain ARGUMENTS: a job says what the program says
as_plain() {
    "$prog" "$@" >plain
    code 0 loadcast run -q -- "$prog" "$@"
    wait_until nothing_learns
    same plain out
}

t 'one that is learnt is loaded from node memory, beside bindings that were recorded' '
    begin
    as_plain open "$m/sw/c/liby.so"
    COBALT_JOBID=1.$$ code 0 loadcast run -q -- "$prog" open "$m/sw/c/liby.so"
    wait_until nothing_learns
    node=$(ls -td "$LOADCAST_DIR"/loadcast-*/*/ | head -1)
    stormfs ctl m1 reset
    LOADCAST_NODE=${node%/} code 0 "$node/bin/launch" "$prog" open "$m/sw/c/liby.so"
    same plain out
    [ "$(count requests)" = 0 ] || { stormfs ctl m1 stats; loadcast status; return 1; }
    loadcast status >status.out
    says "replayed in 2 groups" status.out                        # two starts of the program
    says "it was not recorded" status.out && says /c/liby.so status.out # of it ld.so binds the symbols
    loadcast clean --all --dir "$LOADCAST_DIR"
'
t 'two names of one library stay one library, whenever they are learnt' '
    begin open "$m/sw/c/liby.so"
    as_plain open "$m/sw/c/liby.so" open "$m/sw/c/liby-too.so"
    says again out
    as_plain open "$m/sw/c/liby.so" open "$m/sw/c/liby-too.so"
    says again out
    as_plain open "$m/sw/c/liby-too.so" open "$m/sw/c/liby.so"
    says again out
    as_plain open "$m/sw/c/liby.so" open "$m/sw/c/libz.so"
    as_plain open "$m/sw/c/liby.so" open "$m/sw/c/libz.so"
    lacks again out
    code 0 loadcast info --verify "$(image)"
'
t 'a library that appears during the job that learns its directory: the next job finds it' '
    begin
    as_plain
    says "x 1" out
    loadcast run -q -- "$prog" ask "$m/sw/a/first" wait "$tmp/go" ask "$m/sw/a/second" >out 2>err &
    wait_until test -e go.ready
    cp later/libx.so src/sw/a/libx.so
    touch go
    wait
    wait_until nothing_learns
    says "x 1" out
    as_plain
    says "x 2" out
    as_plain ask "$m/sw/a/second"
    rm src/sw/a/libx.so
    as_plain
    says "x 1" out
'
finish
